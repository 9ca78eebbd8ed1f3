"""`pitwatch review`, `export`, `work`: recordings."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from service.audit.calendar import read_plan
from service.audit.commands import Zone
from service.commands.common import TableFile, err, out, print_findings
from service.commands.database import DEFAULT_DATABASE, DatabaseUrl
from service.errors import ServiceError
from service.screens import words


def review(
    video: Annotated[Path, typer.Argument(help="recording: a video file or a folder of pictures", show_default=False)],
    table: TableFile,
    folder: Annotated[Path, typer.Option("--out", help="folder for the results, made anew", show_default=False)],
    recorded: Annotated[str, typer.Option(help="when the recording began, e.g. 2026-11-20T22:00:00-05:00; without it as a file beside it, its name or itself says", show_default=False)] = "",
    zone: Zone = "",
) -> None:  # fmt: skip
    """Review a recording: events.jsonl, findings.jsonl, payouts.csv and report.html with pictures."""
    from service.config import load_table
    from service.reviews.recorded import recorded_of

    when = recorded_of(video, video.name, given=recorded, zone=read_plan("", zone).zone, now=datetime.now(UTC))
    done = review_with_progress(video, load_table(table), folder, when)
    print_findings(done.breaches, done.verdicts, len(done.rounds))
    out.print(f"Report: {folder / 'report.html'}", highlight=False)


def export(
    folder: Annotated[Path, typer.Argument(help="folder of a finished review", show_default=False)],
    what: Annotated[str, typer.Argument(help="events, rounds, payouts or findings", show_default=False)],
    file: Annotated[Path, typer.Option("--out", help="file to write; .jsonl, .csv or .parquet", show_default=False)],
) -> None:
    """Write what a review found as JSON lines, CSV or Parquet."""
    from service.export.formats import parse_format
    from service.reviews.results import COLUMNS, RUN_FILE, write_export

    if not (folder / RUN_FILE).is_file():
        raise ServiceError("there is no finished review here", where=folder, do="Make one with pitwatch review")
    if what not in COLUMNS:
        raise ServiceError(f"there is no export of {what!r}", do=f"Use one of {', '.join(COLUMNS)}")
    write_export(folder, what, parse_format(file.suffix.lstrip(".").lower()), file)
    out.print(f"Written: {file}", highlight=False)


def work(
    database: DatabaseUrl = DEFAULT_DATABASE,
    workers: Annotated[int, typer.Option("--workers", help="on a cluster: how many", min=1, max=1000)] = 1,
    cluster: Annotated[str | None, typer.Option("--cluster", help="Ray cluster (ray://host:port, auto, or local); works until nothing waits", show_default=False)] = None,
) -> None:  # fmt: skip
    """Work on the reviews of a service from this machine, or from a Ray cluster."""
    if cluster is None:
        from service.reviews.worker import main as work_here
        from service.store.base import verify_there

        verify_there(database)
        raise typer.Exit(work_here(["--database", database]))
    from service.reviews.cluster import ClusterChoices, work_off

    done = work_off(ClusterChoices(database, workers, None if cluster == "local" else cluster))
    for name, reviews in sorted(done.by_worker.items()):
        out.print(f"{name}: {words.counted(len(reviews), 'review')}", highlight=False)
    out.print(f"Workers lost and replaced: {done.lost}", highlight=False)


def review_with_progress(video: Path, setup: Any, folder: Path, recorded: Any = None) -> Any:
    """Reviews a recording and shows how far it is; what came out."""
    from service.reviews import review as reviewing
    from service.reviews.recorded import Recorded

    columns = (
        TextColumn("Reviewing"),
        BarColumn(),
        TextColumn("{task.fields[at]} · {task.fields[breaches]} breaches"),
        TimeRemainingColumn(),
    )
    started_s = time.monotonic()
    with Progress(*columns, console=err, disable=not err.is_terminal) as bar:
        task = bar.add_task("", total=None, at="finding the table", breaches=0)

        def progress(now: reviewing.Progress) -> None:
            at = words.clock(now.t_s) + (f" of {words.clock(now.of_s)}" if now.of_s else "")
            bar.update(task, completed=now.t_s, total=now.of_s, at=at, breaches=now.breaches)

        with _stop_asked() as stop:
            options = reviewing.Options(progress=progress, stop=stop, recorded=recorded or Recorded())
            done = reviewing.review_video(video, setup, folder, options)
        bar.update(task, completed=done.about["seconds"], total=done.about["seconds"], breaches=len(done.breaches))
    took_s = time.monotonic() - started_s
    out.print(f"{words.clock(done.about['seconds'])} of recording reviewed in {words.clock(took_s)}", highlight=False)
    return done


@contextmanager
def _stop_asked() -> Iterator[Callable[[], bool]]:
    """Ctrl-C and SIGTERM end a review only after it has written where it stands; a second one ends it at once."""
    asked: list[int] = []

    def ask(number: int, _frame: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        err.print("Stopping; the same command goes on from here", highlight=False)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
