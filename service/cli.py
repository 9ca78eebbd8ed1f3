"""The command line: `pitwatch review`, `export`, `work`, `serve`, `watch`, `see`, `settle`, `check`, `rules`, `simulate`, `eval`, `run`.

Every mistake of a user ends in one message on standard error (what, where, what to do) and exit status 2.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from calibration.camera import CalibrationError
from calibration.layout import LayoutError
from models.errors import ModelError
from rules.catalogue import rules_of_section
from rules.engine import UnsupportedGameError
from rules.events import EventError
from rules.findings import Verdict, finding_to_dict, finding_to_json
from rules.law import GAMES
from rules.settlement.results import SettlementError
from rules.table import TableConfigError
from service.access.commands import journal, people
from service.access.masking import mask_logs, masked
from service.audit.calendar import ShiftPlan, read_plan
from service.audit.commands import Shifts, Zone
from service.audit.commands import add_commands as add_audit_commands
from service.backup import backup
from service.calibrate.chips_cli import chips
from service.calibrate.cli import calibrate, layout
from service.errors import ServiceError
from service.evidence.cli import verify
from service.evidence.pack import pack
from service.screens import words
from vision.source import SourceError

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
CLIP = Path(__file__).resolve().parent.parent / "datasets" / "clips" / "raise_it_up"
HOST, PORT = "127.0.0.1", 8080

app = typer.Typer(
    help="Watches a casino table from above and checks each round against the law of its game.",
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip
app.add_typer(people, name="people")
app.add_typer(journal, name="journal")
dataset = typer.Typer(no_args_is_help=True, help="Training data of the networks.")
app.add_typer(dataset, name="dataset")
app.add_typer(chips, name="chips")
out = Console(width=None if sys.stdout.isatty() else 150)
err = Console(stderr=True)

TableFile = Annotated[Path, typer.Option("--table", help="the table's file (YAML)", show_default=False)]
Port = Annotated[int, typer.Option(help="port of the screens and the interface", min=1, max=65535)]
Database = Annotated[str, typer.Option(help="SQLAlchemy URL; SQLite by default")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command; exits with 0, with 2 after a user's mistake."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    mask_logs()
    try:
        app(args=arguments, prog_name="pitwatch")
    except USER_ERRORS as error:
        print(f"pitwatch: {masked(str(error))}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


@app.command()
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
    done = _review(video, load_table(table), folder, when)
    _print_findings(done.breaches, done.verdicts, len(done.rounds))
    out.print(f"Report: {folder / 'report.html'}", highlight=False)


@app.command()
def serve(
    table: Annotated[list[Path] | None, typer.Option("--table", help="a table to watch live; may be given several times", show_default=False)] = None,
    source: Annotated[str | None, typer.Option(help="where its camera is, instead of what the table's file says (one table only)", show_default=False)] = None,
    reviewed: Annotated[list[Path] | None, typer.Option("--review", help="folder of a finished review to show; may be given several times", show_default=False)] = None,
    tables: Annotated[Path, typer.Option("--tables", help="folder of the tables that are added and changed in the screens")] = Path("var/tables"),
    repeat: Annotated[bool, typer.Option("--repeat", help="play a recording again when it ends")] = False,
    host: Annotated[str, typer.Option(help="address to listen on; others than this machine's own need --allow-remote")] = HOST,
    port: Port = PORT,
    allow_remote: Annotated[bool, typer.Option("--allow-remote", help="let other machines ask too; put TLS before it (docs/access.md)")] = False,
    settings: Annotated[Path | None, typer.Option("--settings", help="settings of the service (YAML): sessions, limits, cameras, single sign-on", show_default=False)] = None,
    database: Database = "sqlite:///var/pitwatch.db",
    evidence: Annotated[Path, typer.Option(help="folder of the evidence; its key lies beside it")] = Path("var/evidence"),
    retention: Annotated[Path | None, typer.Option(help="how long evidence is kept (YAML); without it for ever", show_default=False)] = None,
    recordings: Annotated[list[Path] | None, typer.Option("--recordings", help="recordings in this folder may be reviewed; may be given several times", show_default=False)] = None,
    review_tables: Annotated[list[Path] | None, typer.Option("--review-table", help="a table recordings are reviewed for, besides those of --table", show_default=False)] = None,
    review_folder: Annotated[Path, typer.Option("--review-folder", help="for recordings dropped in, and for results of reviews")] = Path("var/reviews"),
    workers: Annotated[int, typer.Option("--workers", help="processes that review recordings on this machine", min=0, max=64)] = 1,
    shifts: Shifts = "",
    zone: Zone = "",
) -> None:  # fmt: skip
    """Serve the alert feed, the screens, the live tables and the reviews."""
    from service.access.settings import load_settings
    from service.config import load_table
    from service.reviews.opening import ReviewChoices
    from service.tables.opening import TableChoices

    known = load_settings(settings) if settings is not None else None
    for path in table or ():
        load_table(path)
    for folder in reviewed or ():
        if not (folder / "run.json").is_file():
            raise ServiceError("there is no finished review here", where=folder, do="Make one with pitwatch review")
    _serve(
        TableChoices(tables, tuple(table or ()), source, repeat),
        host=host,
        port=port,
        database=database,
        reviews=reviewed or (),
        allow_remote=allow_remote,
        settings=known,
        evidence=evidence,
        retention=retention,
        choices=ReviewChoices(review_folder, tuple(recordings or ()), tuple(review_tables or ()), workers),
        plan=read_plan(shifts, zone),
    )


@app.command()
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


@app.command()
def work(
    database: Database = "sqlite:///var/pitwatch.db",
    workers: Annotated[int, typer.Option("--workers", help="on a cluster: how many", min=1, max=1000)] = 1,
    cluster: Annotated[str | None, typer.Option("--cluster", help="Ray cluster (ray://host:port, auto, or local); works until nothing waits", show_default=False)] = None,
) -> None:  # fmt: skip
    """Work on the reviews of a service from this machine, or from a Ray cluster."""
    if cluster is None:
        from service.reviews.worker import main as work_here

        raise typer.Exit(work_here(["--database", database]))
    from service.reviews.cluster import ClusterChoices, work_off

    done = work_off(ClusterChoices(database, workers, None if cluster == "local" else cluster))
    for name, reviews in sorted(done.by_worker.items()):
        out.print(f"{name}: {words.counted(len(reviews), 'review')}", highlight=False)
    out.print(f"Workers lost and replaced: {done.lost}", highlight=False)


@app.command()
def watch(
    table: Annotated[list[Path], typer.Option("--table", help="a table to watch; its file names its camera (camera.source); may be given several times", show_default=False)],
    database: Database = "sqlite:///var/pitwatch.db",
    spool: Annotated[Path, typer.Option(help="folder in which records wait for the database; on a shared disk for a cluster")] = Path("var/spool"),
    evidence: Annotated[Path | None, typer.Option(help="folder of the evidence on each machine; without it pictures alone are kept", show_default=False)] = None,
    repeat: Annotated[bool, typer.Option("--repeat", help="play a recording again when it ends")] = False,
    cluster: Annotated[str | None, typer.Option("--cluster", help="Ray cluster (ray://host:port, auto, or local) to spread the tables over", show_default=False)] = None,
    cores: Annotated[float, typer.Option(help="on a cluster: cores a table is given", min=0.05, max=64)] = 0.5,
) -> None:  # fmt: skip
    """Watch live tables without screens, here or on a Ray cluster; every service on the same database shows them."""
    from service.cluster.tables import Watched, keep, placed

    _make_folder_of(database)
    address = None if cluster == "local" else cluster
    files, room = [path.resolve() for path in table], evidence.resolve() if evidence is not None else None
    watched = Watched(files, database, spool.resolve(), room, address, cores, repeat)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    kept = keep(placed(watched, cluster=cluster is not None), stop)
    for name, last in sorted(kept.last.items()):
        out.print(f"{name}: {last['state']}, {words.counted(last['rounds'], 'round')}", highlight=False)
    out.print(f"Processes lost and replaced: {kept.lost}", highlight=False)


@app.command()
def see(
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE...", help="pictures", show_default=False)],
    px_per_mm: Annotated[float | None, typer.Option("--px-per-mm", help="scale of the pictures; estimated if not given", min=0.05, max=50)] = None,
    chip_set: Annotated[Path | None, typer.Option("--chips", help="chip set: a YAML file of colour: value, as 'pitwatch chips learn' writes it", show_default=False)] = None,
    chips_spread: Annotated[bool, typer.Option("--chips-spread", help="nobody stacks chips there: one seen alone is one")] = False,
) -> None:  # fmt: skip
    """Say what lies in pictures: one JSON line for each in which anything is seen.

    A picture without a card ends with exit status 2, after the others were looked at too.
    """
    from service.seeing import see_pictures

    without = []
    for seen in see_pictures(images, px_per_mm=px_per_mm, chips=chip_set, chips_spread=chips_spread):
        if seen["cards"] or seen["chips"]:
            print(json.dumps(seen), flush=True)
        if not seen["cards"]:
            without.append(seen["image"])
    if without:
        raise ServiceError(
            "no card is seen",
            where=", ".join(without),
            do="Give a sharper or closer picture, or its scale with --px-per-mm",
        )


@app.command()
def settle(
    file: Annotated[str, typer.Argument(help="rounds, one JSON object a line; plain, .gz, or - for standard input")],
    explain: Annotated[bool, typer.Option("--explain", help="also the way to every amount, and its section")] = False,
) -> None:
    """Settle rounds: one JSON line each with the outcome and return of every wager."""
    from rules.settlement.rounds import settle_lines

    try:
        lines = list(settle_lines(_lines_of(file), explain=explain))
    except SettlementError as error:
        raise ServiceError(str(error), where=file, do="Correct that line; the format is in docs/settle.md") from error
    for line in lines:
        print(line)


@app.command()
def check(
    events: Annotated[Path, typer.Argument(help="events, one JSON object a line", show_default=False)],
    table: TableFile,
    as_json: Annotated[
        bool, typer.Option("--json/--text", help="every finding as a JSON line, or a table of the breaches")
    ] = True,
    day: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="judge by the law of this day, until the events name another"),
    ] = None,
) -> None:
    """Judge a file of events without any camera; nothing of it is judged where a line is wrong."""
    from rules.engine import Engine
    from rules.eventfile import read_stream
    from service.config import load_table, read_table, read_text

    config = read_table(table)
    if config.layout != f"{config.game}_{config.seats}" or config.external_events is not None:
        load_table(table)
    engine = Engine(config, day=day.date() if day else None)
    text = read_text(events, what="event file", do="Give a file of events, one JSON object a line")
    read = read_stream(text.splitlines(), config, name=str(events))
    findings = [finding for event in read for finding in engine.feed(event)] + list(engine.close())
    if as_json:
        for finding in findings:
            print(finding_to_json(finding))
        return
    counts = {verdict.value: sum(f.verdict is verdict for f in findings) for verdict in Verdict}
    breaches = [finding_to_dict(finding) for finding in findings if finding.verdict is Verdict.BREACH]
    _print_findings(breaches, counts, len(engine.rounds))


@app.command()
def rules(
    named: Annotated[
        str, typer.Argument(metavar="[SECTION]", help="only checks of this section, e.g. 669a.11 or .12(a)")
    ] = "",
    section: Annotated[str, typer.Option(help="the same as an option")] = "",
    game: Annotated[str, typer.Option(help="the game")] = "raise_it_up",
) -> None:
    """List the checks with their section, severity, dates and whether they are judged."""
    wanted = section or named
    try:
        found = rules_of_section(wanted, game)
    except KeyError as error:
        raise ServiceError(f"no game {game!r}", do=f"Give one of {', '.join(GAMES)} with --game") from error
    if not found:
        raise ServiceError(f"no check cites {wanted!r}", do="Give a section as in 669a.11 or .11(e), or none for all")
    listing = Table(
        "check", "section", "severity", "what is judged", "status", "in force since", title=f"{len(found)} checks"
    )
    for rule in found:
        listing.add_row(
            rule.check_id,
            words.section(rule.citation),
            str(rule.severity),
            rule.check,
            rule.status.value.replace("_", " "),
            str(rule.date.effective) if rule.date else "",
        )
    out.print(listing)


@app.command()
def odds(
    game: Annotated[str, typer.Option(help="the game")] = "raise_it_up",
    wager: Annotated[str, typer.Option(help="only this wager, e.g. six_card_bonus or base")] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="one JSON line for each paytable, with exact fractions")
    ] = False,
) -> None:
    """Count every hand: hits, exact return and house edge of each wager and paytable (base games take minutes)."""
    from service.odds import print_odds

    print_odds(game, wager, out, as_json=as_json)


@app.command()
def simulate(
    folder: Annotated[
        Path, typer.Option("--out", help="folder for video.mp4, table.yaml, truth.jsonl", show_default=False)
    ],
    game: Annotated[str, typer.Option(help="the game")] = "raise_it_up",
    rounds: Annotated[int, typer.Option(help="rounds to play", min=1, max=1000)] = 5,
    seed: Annotated[int, typer.Option(help="everything follows from it", min=0)] = 7,
    plant: Annotated[
        str, typer.Option(help="mistakes to plant, separated by commas, e.g. early_reveal,short_pay")
    ] = "",
    dealing: Annotated[str, typer.Option(help="manual_shoe, hand or automated_shoe")] = "manual_shoe",
    chips_spread: Annotated[bool, typer.Option("--chips-spread", help="a house where nobody stacks chips")] = False,
) -> None:
    """Play and film rounds at a drawn table, with planted mistakes."""
    from datasets.simulate import SimulationError
    from datasets.simulate import simulate as film

    plants = [name.strip() for name in plant.split(",") if name.strip()]
    columns = (TextColumn("Filming"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
    with Progress(*columns, console=err, disable=not err.is_terminal) as bar:
        task = bar.add_task("", total=None)
        try:
            film(
                game,
                rounds,
                seed,
                plants,
                folder,
                dealing=dealing,
                chips_spread=chips_spread,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
        except SimulationError as error:
            raise ServiceError(str(error)) from error
    out.print(f"Written: {folder / 'video.mp4'}, table.yaml, truth.jsonl", highlight=False)


@dataset.command()
def build(
    recipe: Annotated[Path, typer.Option(help="the recipe, e.g. datasets/recipes/small.yaml", show_default=False)],
    folder: Annotated[Path, typer.Option("--out", help="folder for the data", show_default=False)],
    processes: Annotated[int, typer.Option(help="processes that draw", min=1, max=256)] = os.cpu_count() or 1,
) -> None:
    """Draw training and validation pictures for the networks by a recipe; goes on where it was interrupted."""
    from datasets.build import build as make
    from datasets.recipe import RecipeError, load_recipe

    try:
        make(
            load_recipe(recipe),
            folder,
            processes=processes,
            progress=lambda what, done, total: _part(what, done, total),
        )
    except RecipeError as error:
        raise ServiceError(str(error)) from error
    out.print(f"Written: {folder}", highlight=False)


def _part(what: str, done: int, total: int) -> None:
    err.print(f"{done} of {total} parts; {what}", highlight=False)


app.command()(calibrate)
app.command()(layout)
app.command()(verify)
app.command()(pack)
app.command()(backup)


@app.command(name="eval", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def evaluate(context: typer.Context) -> None:
    """Measure: violations found and false alerts from video, cards on photographs (see --help of make eval)."""
    from datasets.score.evaluate import main as score

    raise typer.Exit(score(context.args))


@app.command()
def run(
    folder: Annotated[Path, typer.Option("--out", help="folder for the results")] = Path("var/run"),
    no_serve: Annotated[bool, typer.Option("--no-serve", help="only review and print")] = False,
    port: Port = PORT,
) -> None:
    """Review the bundled clip, print its findings, then serve the screens with that table running."""
    from service.access.settings import CameraSettings, Settings
    from service.config import load_table
    from service.evidence.vault import private_of
    from service.reviews.opening import ReviewChoices
    from service.tables.opening import TableChoices, copied_table

    video = CLIP / "video.mp4"
    if not video.is_file():
        raise ServiceError(
            "the bundled clip is not there", where=video, do="Fetch the whole repository, or review a video of your own"
        )
    if not no_serve:
        _need_free(HOST, port)
    setup = load_table(CLIP / "table.yaml")
    out.print(f"Reviewing {video.name} of table {setup.table.table_id}", highlight=False)
    done = _review(video, setup, folder)
    _print_findings(done.breaches, done.verdicts, len(done.rounds))
    out.print(f"Report: {folder / 'report.html'}", highlight=False)
    if not no_serve:
        folder.with_name(f"{folder.name}.db").unlink(missing_ok=True)
        evidence, tables = folder.with_name(f"{folder.name}-evidence"), folder.with_name(f"{folder.name}-tables")
        for old in (evidence, private_of(evidence), tables):
            shutil.rmtree(old, ignore_errors=True)
        database = f"sqlite:///{folder.with_name(f'{folder.name}.db')}"
        copied_table(CLIP / "table.yaml", tables)
        _serve(
            TableChoices(tables, repeat=True),
            host=HOST,
            port=port,
            database=database,
            reviews=[folder],
            settings=Settings(cameras=CameraSettings(folders=(CLIP,))),
            allow_remote=False,
            by_link=True,
            evidence=evidence,
            choices=ReviewChoices(folder.with_name(f"{folder.name}-reviews"), (CLIP,)),
        )


add_audit_commands(app)


def _review(video: Path, setup: Any, folder: Path, recorded: Any = None) -> Any:
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


def _print_findings(breaches: Sequence[Mapping[str, Any]], counts: Mapping[str, int], rounds: int) -> None:
    found = "1 breach" if len(breaches) == 1 else f"{len(breaches)} breaches"
    heads = ("at", "round", "check", "section", "what was seen", "expected")
    listing = Table(*heads, title=f"{found} in {words.counted(rounds, 'round')}")
    for finding in breaches:
        number = finding["round_id"].rpartition("-r")[2].lstrip("0")
        cited, seen = words.section(finding["citation"]), words.title(finding)
        listing.add_row(words.clock(finding["t_s"]), number, finding["check_id"], cited, seen, finding["expected"])
    out.print(listing if breaches else f"No breach in {words.counted(rounds, 'round')}", highlight=False)
    rest = ", ".join(f"{counts[v.value]} {v.value.replace('_', ' ')}" for v in Verdict if v is not Verdict.BREACH)
    out.print(f"Other checks: {rest}", highlight=False)


def _serve(
    tables: Any, *, host: str, port: int, database: str, reviews: Sequence[Path], allow_remote: bool,
    evidence: Path, retention: Path | None = None, settings: Any = None, by_link: bool = False, choices: Any = None,
    plan: ShiftPlan = ShiftPlan(),
) -> None:  # fmt: skip
    import uvicorn

    from service.access.opening import say_how_to_come_in
    from service.access.settings import Settings
    from service.api import shown
    from service.app import LOCAL_HOSTS, create_app
    from service.evidence.retention import read_policy
    from service.evidence.room import EvidenceRoom
    from service.feed.delivery import Delivery
    from service.house import House
    from service.reviews.opening import ReviewChoices, open_reviews
    from service.store import Store
    from service.tables.opening import open_tables, reload_on_hangup

    if host not in LOCAL_HOSTS and not allow_remote:
        raise ServiceError(
            "other machines would be let in",
            where=f"--host {host}",
            do="Add --allow-remote if that is meant, or leave --host away",
        )
    _need_free(host, port)
    _make_folder_of(database)
    policy = read_policy(retention) if retention is not None else None
    room = EvidenceRoom.open(evidence, lambda: datetime.now(UTC), policy)
    house = House(Store(database), evidence=room, settings=settings or Settings(), remote=allow_remote, shifts=plan)
    open_tables(house, tables)
    open_reviews(house, choices or ReviewChoices(), finished=reviews)
    house.background.append(Delivery(house.store, shown, house.settings.webhooks.policy))
    shown_host = "localhost" if host in LOCAL_HOSTS else host
    address = house.settings.public_url or f"http://{shown_host}:{port}"
    say_how_to_come_in(
        house.access, address, by_link=by_link, say=lambda text: out.print(text, highlight=False, soft_wrap=True)
    )
    config = uvicorn.Config(
        create_app(house), host=host, port=port, log_level="warning", timeout_graceful_shutdown=2, proxy_headers=False, server_header=False
    )  # fmt: skip
    mask_logs(logging.getLogger("uvicorn"), logging.getLogger("uvicorn.access"), logging.getLogger("uvicorn.error"))
    reload_on_hangup(house)
    uvicorn.Server(config).run()


def _need_free(host: str, port: int) -> None:
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host.strip("[]"), port))
    except OSError as error:
        raise ServiceError(
            f"cannot listen here ({error.strerror})", where=f"{host}:{port}", do="Choose another --port"
        ) from error


def _make_folder_of(database: str) -> None:
    if database.startswith("sqlite:///"):
        Path(database.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)


def _lines_of(file: str) -> list[str]:
    from service.config import read_text

    if file == "-":
        return sys.stdin.read().splitlines()
    path, do = Path(file), "Give a file of rounds, one JSON object a line"
    if path.suffix != ".gz" or not path.is_file():
        return read_text(path, what="file of rounds", do=do).splitlines()
    try:
        return gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ServiceError(f"this cannot be unpacked ({error})", where=path, do=do) from error


if __name__ == "__main__":
    main()
