"""The commands `pitwatch import` and `pitwatch audit`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from service.audit.calendar import read_plan
from service.audit.facts import AuditError
from service.commands.database import DEFAULT_DATABASE, DatabaseUrl, make_folder_of

if TYPE_CHECKING:
    from rules.table import TableConfig
    from service.audit.importing import Imported
    from service.store.base import Database

out = Console(width=None if sys.stdout.isatty() else 150)
err = Console(stderr=True)

Shifts = Annotated[str, typer.Option(help="shifts by the hour they begin, the first begins the gaming day: day=06:00,swing=14:00,grave=22:00")]  # fmt: skip
Zone = Annotated[str, typer.Option(help="the house's time zone, e.g. America/New_York; without it, the clock that each time brings")]  # fmt: skip


def add_commands(app: typer.Typer) -> None:
    """Puts the audit's commands on the command line."""
    app.command(name="import")(import_files)
    app.command()(audit)


def import_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="settled rounds: JSON lines, or CSV with --mapping; with --events-of, events; plain or .gz", show_default=False)],
    tables: Annotated[list[Path] | None, typer.Option("--tables", help="a table's file, or a folder of them; may be given several times", show_default=False)] = None,
    mapping: Annotated[Path | None, typer.Option(help="for CSV: which column is what (docs/import.md)", show_default=False)] = None,
    events_of: Annotated[Path | None, typer.Option("--events-of", help="the files hold events of the table of this file (docs/events.md)", show_default=False)] = None,
    starts: Annotated[str, typer.Option(help="with --events-of: when the events' time 0 was, e.g. 2026-10-01T06:00:00-04:00", show_default=False)] = "",
    shifts: Shifts = "",
    zone: Zone = "",
    rejected: Annotated[Path | None, typer.Option(help="folder for the lists of rejected rounds; beside each file if not given", show_default=False)] = None,
    jobs: Annotated[int | None, typer.Option(help="processes that settle rounds; as many as there are processors", min=1, max=64, show_default=False)] = None,
    database: DatabaseUrl = DEFAULT_DATABASE,
) -> None:  # fmt: skip
    """Take settled rounds of other systems into the audit, each settled by its table's rules and the law of its day.

    The same file again changes nothing; an interrupted import goes on where it stopped. Ends with exit status 1 if
    rounds were rejected.
    """
    from service.audit.importing import Importer, default_jobs
    from service.audit.mapping import read_mapping

    _need_files(files)
    books, plan = open_books(database), read_plan(shifts, zone)
    if events_of is not None:
        from service.audit.events import EventImporter, read_start
        from service.config import read_table

        watched = EventImporter(books, plan, read_table(events_of), read_start(starts))
        _list([watched.take(path, now=_now) for path in files])
        return
    columns, sha256 = read_mapping(mapping) if mapping is not None else (None, "")
    importer = Importer(books, plan, read_tables(tables or ()), columns, sha256, jobs or default_jobs())
    done: list[Imported] = []
    with Progress(TextColumn("{task.description}"), TextColumn("{task.completed} rounds"), TimeElapsedColumn(), console=err, disable=not err.is_terminal) as bar:  # fmt: skip
        for path in files:
            task = bar.add_task(path.name, total=None)
            done.append(importer.take(path, now=_now, progress=lambda n, t=task: bar.update(t, completed=n)))  # type: ignore[misc]
    _list(done)
    for path, one in zip(files, done, strict=True):
        if one.rejected:
            _write_rejects(books, one, (rejected or path.parent) / f"{path.name}.rejected.jsonl")
    if any(one.rejected for one in done):
        raise typer.Exit(1)


def audit(
    first: Annotated[str, typer.Option("--from", help="first gaming day, e.g. 2026-10-01", show_default=False)] = "",
    last: Annotated[str, typer.Option("--to", help="last gaming day, included", show_default=False)] = "",
    table: Annotated[list[str] | None, typer.Option(help="only this table; may be given several times", show_default=False)] = None,
    game: Annotated[list[str] | None, typer.Option(help="only this game, e.g. let_it_ride", show_default=False)] = None,
    wager: Annotated[list[str] | None, typer.Option(help="only this wager, e.g. pair_plus", show_default=False)] = None,
    line: Annotated[list[str] | None, typer.Option(help="only this line of a paytable, e.g. 'two pair 3 to 2'", show_default=False)] = None,
    shift: Annotated[list[str] | None, typer.Option(help="only this shift", show_default=False)] = None,
    dealer: Annotated[list[str] | None, typer.Option(help="only this dealer number", show_default=False)] = None,
    by: Annotated[list[str] | None, typer.Option(help="count by game, table, wager, line, shift, dealer or day; several with commas count by all together; may be given several times", show_default=False)] = None,
    folder: Annotated[Path | None, typer.Option("--out", help="write CSV, Parquet and audit.pdf into this folder, made anew", show_default=False)] = None,
    recount: Annotated[bool, typer.Option("--recount", help="add up every single payout again and hold it against the sums kept")] = False,
    shifts: Shifts = "",
    zone: Zone = "",
    database: DatabaseUrl = DEFAULT_DATABASE,
) -> None:  # fmt: skip
    """Payout accuracy: payouts checked, right, over and under, to the cent, by whatever is asked.

    Ends with exit status 1 if the totals do not agree with each other.
    """
    from service.audit import reconciling
    from service.audit.printing import print_audit
    from service.audit.questions import Questions, Scope, read_by, read_days
    from service.audit.report import gather, write_audit
    from service.audit.video import VideoRounds
    from service.store.base import verify_there

    many = tuple(tuple(given or ()) for given in (table, game, wager, line, shift, dealer))
    scope = Scope(*read_days(first, last), *many)
    groups = [
        read_by(tuple(name.strip() for name in one.split(","))) for one in by or ("game", "table", "wager", "shift")
    ]
    verify_there(database)
    books = open_books(database)
    VideoRounds(books, read_plan(shifts, zone)).take()
    questions = Questions(books)
    found = gather(questions, scope, groups)
    print_audit(out, questions, found)
    agrees = found.books.agrees and found.parts.agrees
    if recount:
        whole = reconciling.recount(questions, scope, now=_now(), by="command line")
        out.print(
            "Recounted, payout by payout: " + ("all agrees" if whole.agrees else "; ".join(whole.disagreements)),
            highlight=False,
        )
        agrees = agrees and whole.agrees
    if folder is not None:
        names = write_audit(questions, found, folder, made=_now())
        out.print(f"Written into {folder}: {', '.join(names)}", highlight=False)
    if not agrees:
        raise typer.Exit(1)


def _now() -> datetime:
    return datetime.now(UTC)


def _list(done: Iterable[Imported]) -> None:
    listing = Table("file", "", "rounds", "wagers", "known before", "rejected")
    for one in done:
        listing.add_row(one.name, one.status, *(f"{n:,}" for n in (one.rounds, one.wagers, one.known, one.rejected)))
    out.print(listing)


def read_tables(paths: Iterable[Path]) -> dict[str, TableConfig]:
    """Table files by their table; a folder stands for the YAML files in it.

    Raises:
        AuditError: two files of one table, or a folder without any.
    """
    from service.config import read_table

    found: dict[str, tuple[TableConfig, Path]] = {}
    for path in paths:
        files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
        if not files:
            raise AuditError("no table files (*.yaml) in this folder", where=path, do="Give the folder they are in")
        for file in files:
            table = read_table(file)
            if table.table_id in found:
                raise AuditError(
                    f"table {table.table_id} is there twice, also in {found[table.table_id][1]}", where=file
                )
            found[table.table_id] = (table, file)
    return {name: table for name, (table, _) in found.items()}


def _need_files(files: Iterable[Path]) -> None:
    for path in files:
        if not path.is_file():
            raise AuditError("no such file", where=path, do="Give files of settled rounds")


def open_books(url: str) -> Database:
    """The database at a URL; the folder of a new SQLite file is made."""
    from service.store.base import Database

    make_folder_of(url)
    return Database(url)


def _write_rejects(database: Database, one: Imported, path: Path) -> None:
    from service.audit.importing import rejects

    try:
        with path.open("w", encoding="utf-8") as file:
            for reject in rejects(database, one.import_id):
                file.write(json.dumps(reject, ensure_ascii=False) + "\n")
    except OSError as error:
        raise AuditError(f"the list of rejected rounds cannot be written ({error.strerror})", where=path, do="Give a folder with --rejected") from error  # fmt: skip
    err.print(f"{one.rejected} rejected rounds of {one.name} are listed in {path}", highlight=False)
