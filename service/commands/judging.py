"""`pitwatch settle`, `check`, `rules`, `odds`: the law, without any camera."""

from __future__ import annotations

import gzip
import sys
import zlib
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from rules.catalogue import rules_of_section
from rules.dated import law_of
from rules.findings import Verdict, finding_to_dict, finding_to_json
from rules.law import GAMES
from rules.settlement.results import SettlementError
from service.commands.common import TableFile, out, print_findings
from service.errors import ServiceError
from service.law import today
from service.screens import words


def settle(
    file: Annotated[str, typer.Argument(help="rounds, one JSON object a line; plain, .gz, or - for standard input")],
    explain: Annotated[bool, typer.Option("--explain", help="also the way to every amount, and its section")] = False,
) -> None:
    """Settle rounds: one JSON line each with the outcome and return of every wager."""
    from rules.settlement.rounds import settle_lines

    try:
        with law_of(today()):
            lines = list(settle_lines(_lines_of(file), explain=explain))
    except SettlementError as error:
        raise ServiceError(str(error), where=file, do="Correct that line; the format is in docs/settle.md") from error
    for line in lines:
        print(line)


def check(
    events: Annotated[Path, typer.Argument(help="events, one JSON object a line", show_default=False)],
    table: TableFile,
    as_json: Annotated[
        bool, typer.Option("--json/--text", help="every finding as a JSON line, or a table of the breaches")
    ] = True,
    day: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="judge by the law of this day (today), until the events name another"),
    ] = None,
) -> None:
    """Judge a file of events without any camera; nothing of it is judged where a line is wrong."""
    from rules.engine import Engine
    from service.config import load_table, read_events, read_table

    config = read_table(table)
    if config.layout != f"{config.game}_{config.seats}" or config.external_events is not None:
        load_table(table)
    engine = Engine(config, day=day.date() if day else today())
    read = read_events(events, config)
    findings = [finding for event in read for finding in engine.feed(event)] + list(engine.close())
    if as_json:
        for finding in findings:
            print(finding_to_json(finding))
        return
    counts = {verdict.value: sum(f.verdict is verdict for f in findings) for verdict in Verdict}
    breaches = [finding_to_dict(finding) for finding in findings if finding.verdict is Verdict.BREACH]
    print_findings(breaches, counts, len(engine.rounds))


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


def _lines_of(file: str) -> list[str]:
    from service.textfiles import read_text

    if file == "-":
        return sys.stdin.read().split("\n")
    path, do = Path(file), "Give a file of rounds, one JSON object a line"
    if path.suffix != ".gz" or not path.is_file():
        return read_text(path, what="file of rounds", do=do).split("\n")
    try:
        return gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ServiceError(f"this cannot be unpacked ({error})", where=path, do=do) from error
