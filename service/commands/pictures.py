"""`pitwatch see`, `simulate`, `dataset build`, `eval`: pictures, drawn ones and how well they are seen."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from service.commands.common import err, out
from service.errors import ServiceError


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


def evaluate(context: typer.Context) -> None:
    """Measure: violations found and false alerts from video, cards on photographs (see --help of make eval)."""
    from datasets.score.evaluate import main as score

    raise typer.Exit(score(context.args))
