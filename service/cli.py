"""The command line `pitwatch`: its commands put together, and how it ends.

Every mistake of a user ends in one message on standard error (what, where, what to do) and exit status 2.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence

import typer
from sqlalchemy.exc import SQLAlchemyError

from calibration.camera import CalibrationError
from calibration.layout import LayoutError
from models.errors import ModelError
from rules.engine import UnsupportedGameError
from rules.events import EventError
from rules.settlement.results import SettlementError
from rules.table import TableConfigError
from service.access.commands import journal, people
from service.access.masking import mask_logs, masked
from service.audit.commands import add_commands as add_audit_commands
from service.backup import backup
from service.calibrate.chips_cli import chips
from service.calibrate.cli import calibrate, layout
from service.commands.judging import check, odds, rules, settle
from service.commands.pictures import build, evaluate, see, simulate
from service.commands.reviewing import export, review, work
from service.commands.serving import run, serve, watch
from service.errors import ServiceError
from service.evidence.cli import verify
from service.evidence.pack import pack
from service.folders import told as told_of_file
from service.store.base import told
from vision.frames.source import SourceError

logger = logging.getLogger(__name__)

USER_ERRORS = (
    ServiceError,
    TableConfigError,
    EventError,
    SettlementError,
    SourceError,
    CalibrationError,
    LayoutError,
    ModelError,
    UnsupportedGameError,
)

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
    except USER_ERRORS as error:
        print(f"pitwatch: {masked(str(error))}", file=sys.stderr)
        sys.exit(2)
    except SQLAlchemyError as error:
        logger.debug("the database failed", exc_info=True)
        print(f"pitwatch: {masked(told(error))}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        logger.debug("a file or disk refused", exc_info=True)
        print(f"pitwatch: {masked(told_of_file(error))}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
