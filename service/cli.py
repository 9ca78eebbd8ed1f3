"""The command line `pitwatch`: its commands put together, and how it ends.

Every mistake of a user ends in one message on standard error (what, where, what to do) and exit status 2.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence

import typer

from service.access.commands import journal, people
from service.access.masking import mask_logs, masked
from service.audit.commands import add_commands as add_audit_commands
from service.calibrate.chips_cli import chips
from service.calibrate.cli import calibrate, layout
from service.commands.backing_up import backup
from service.commands.judging import check, odds, rules, settle
from service.commands.pictures import build, evaluate, see, simulate
from service.commands.reviewing import export, review, work
from service.commands.serving import run, serve, watch
from service.evidence.cli import verify
from service.evidence.pack import pack
from service.folders import told as told_of_file

logger = logging.getLogger(__name__)

app = typer.Typer(
    help="Watches a casino table from above and checks each round against the law of its game.",
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip
app.add_typer(people, name="people")
app.add_typer(journal, name="journal")
dataset = typer.Typer(no_args_is_help=True, help="Training data of the networks.")
dataset.command()(build)
app.add_typer(dataset, name="dataset")
app.add_typer(chips, name="chips")
COMMANDS: tuple[Callable[..., None], ...] = (
    review, serve, export, work, watch, see, settle, check, rules, odds, simulate, calibrate, layout, verify, pack, backup,
)  # fmt: skip
for command in COMMANDS:
    app.command()(command)
app.command(name="eval", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(evaluate)
app.command()(run)
add_audit_commands(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command; exits with 0, with 2 after a user's mistake."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    mask_logs()
    try:
        app(args=arguments, prog_name="pitwatch")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if (said := _said(error)) is None:
            raise
        print(f"pitwatch: {masked(said)}", file=sys.stderr)
        sys.exit(2)


def _said(error: Exception) -> str | None:
    """What a user is told of an error that he can put right, None of any other.

    The rooms these errors come from are loaded here, where one has come: together they take as long as a whole command of the law.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from calibration.camera import CalibrationError
    from calibration.layout import LayoutError
    from models.errors import ModelError
    from rules.engine import UnsupportedGameError
    from rules.events import EventError
    from rules.settlement.results import SettlementError
    from rules.table import TableConfigError
    from service.errors import ServiceError
    from service.store.base import told
    from vision.frames.source import SourceError

    of_the_law = (TableConfigError, EventError, SettlementError, UnsupportedGameError)
    of_the_sight = (SourceError, CalibrationError, LayoutError, ModelError)
    if isinstance(error, (ServiceError, *of_the_law, *of_the_sight)):
        return str(error)
    if isinstance(error, SQLAlchemyError):
        logger.debug("the database failed", exc_info=True)
        return told(error)
    if isinstance(error, OSError):
        logger.debug("a file or disk refused", exc_info=True)
        return told_of_file(error)
    return None


if __name__ == "__main__":
    main()
