"""`pitwatch serve`, `watch`, `run`: live tables and screens."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from datasets.clips import BUNDLED
from service.access.masking import mask_logs
from service.audit.calendar import ShiftPlan, read_plan
from service.audit.commands import Shifts, Zone
from service.commands.common import HOST, PORT, Port, out, print_findings, verify_free
from service.commands.database import DEFAULT_DATABASE, DatabaseUrl, make_folder_of
from service.commands.reviewing import review_with_progress
from service.errors import ServiceError
from service.screens import words


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
    database: DatabaseUrl = DEFAULT_DATABASE,
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


def watch(
    table: Annotated[list[Path], typer.Option("--table", help="a table to watch; its file names its camera (camera.source); may be given several times", show_default=False)],
    database: DatabaseUrl = DEFAULT_DATABASE,
    spool: Annotated[Path, typer.Option(help="folder in which records wait for the database; on a shared disk for a cluster")] = Path("var/spool"),
    evidence: Annotated[Path | None, typer.Option(help="folder of the evidence on each machine; without it pictures alone are kept", show_default=False)] = None,
    repeat: Annotated[bool, typer.Option("--repeat", help="play a recording again when it ends")] = False,
    cluster: Annotated[str | None, typer.Option("--cluster", help="Ray cluster (ray://host:port, auto, or local) to spread the tables over", show_default=False)] = None,
    cores: Annotated[float, typer.Option(help="on a cluster: cores a table is given", min=0.05, max=64)] = 0.5,
    zone: Zone = "",
) -> None:  # fmt: skip
    """Watch live tables without screens, here or on a Ray cluster; every service on the same database shows them."""
    from service.cluster.tables import Watched, keep, placed

    make_folder_of(database)
    address = None if cluster == "local" else cluster
    files, room = [path.resolve() for path in table], evidence.resolve() if evidence is not None else None
    watched = Watched(files, database, spool.resolve(), room, address, cores, repeat, plan=read_plan(zone=zone))
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    kept = keep(placed(watched, cluster=cluster is not None), stop)
    for name, last in sorted(kept.last.items()):
        out.print(f"{name}: {last['state']}, {words.counted(last['rounds'], 'round')}", highlight=False)
    out.print(f"Processes lost and replaced: {kept.lost}", highlight=False)


def run(
    folder: Annotated[Path, typer.Option("--out", help="folder for the results")] = Path("var/run"),
    no_serve: Annotated[bool, typer.Option("--no-serve", help="only review and print")] = False,
    port: Port = PORT,
) -> None:
    """Review the bundled clip, print its findings, then serve the screens with that table running."""
    from service.access.settings import CameraSettings, Settings
    from service.commands.demonstration import Demonstration
    from service.config import load_table
    from service.reviews.opening import ReviewChoices
    from service.tables.opening import TableChoices, copied_table

    video = BUNDLED / "video.mp4"
    if not video.is_file():
        raise ServiceError(
            "the bundled clip is not there", where=video, do="Fetch the whole repository, or review a video of your own"
        )
    if not no_serve:
        verify_free(HOST, port)
    demonstration = Demonstration(folder)
    demonstration.verify_ours(video)
    setup = load_table(BUNDLED / "table.yaml")
    out.print(f"Reviewing {video.name} of table {setup.table.table_id}", highlight=False)
    done = review_with_progress(video, setup, folder)
    print_findings(done.breaches, done.verdicts, len(done.rounds))
    out.print(f"Report: {folder / 'report.html'}", highlight=False)
    if not no_serve:
        demonstration.make_anew(video)
        copied_table(BUNDLED / "table.yaml", demonstration.tables)
        _serve(
            TableChoices(demonstration.tables, repeat=True),
            host=HOST,
            port=port,
            database=demonstration.database,
            reviews=[folder],
            settings=Settings(cameras=CameraSettings(folders=(BUNDLED,))),
            allow_remote=False,
            by_link=True,
            evidence=demonstration.evidence,
            choices=ReviewChoices(demonstration.reviews, (BUNDLED,)),
        )


def _serve(
    tables: Any, *, host: str, port: int, database: str, reviews: Sequence[Path], allow_remote: bool,
    evidence: Path, retention: Path | None = None, settings: Any = None, by_link: bool = False, choices: Any = None,
    plan: ShiftPlan = ShiftPlan(),
) -> None:  # fmt: skip
    import uvicorn

    from service.access.opening import say_how_to_come_in
    from service.access.settings import Settings
    from service.evidence.retention import read_policy
    from service.evidence.room import EvidenceRoom
    from service.feed.delivery import Delivery
    from service.house import House
    from service.reviews.opening import ReviewChoices, open_reviews
    from service.store import Store
    from service.tables.opening import open_tables, reload_on_hangup
    from service.web.api import shown
    from service.web.app import LOCAL_HOSTS, create_app

    if host not in LOCAL_HOSTS and not allow_remote:
        raise ServiceError(
            "other machines would be let in",
            where=f"--host {host}",
            do="Add --allow-remote if that is meant, or leave --host away",
        )
    verify_free(host, port)
    make_folder_of(database)
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
