"""``python -m experiments``: the papers' experiments, our tables beside the printed ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import print_json, print_table, show_progress
from ontomask.cli.options import Json

if TYPE_CHECKING:
    from experiments import Data, Experiment, Outcome

__all__ = ["app", "reproduce"]

app = typer.Typer(
    name="python -m experiments",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Experiments, or how their names begin; all without."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help="The folder with diabetes_130.csv.gz; else what ONTOMASK_DATA names; else "
            "synthetic discharges.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write a page with tables and charts (HTML).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The random seed.")] = 0,
    runs: Annotated[
        int | None, typer.Option("--runs", min=1, help="Samples or seeds; else the paper's.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small samples, for a try.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments, run none.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing page.")] = False,
    json: Json = False,
) -> None:
    """Run the experiments of the papers, and print our tables beside the printed ones.

    Example: python -m experiments sf tm-table-2 --data downloads --output papers.html
    """
    from experiments import Settings, find_experiments, load_data, run_experiments

    experiments = find_experiments(names or [])
    if list_:
        _list(experiments, json)
        return
    _check_output(output, force)
    with show_progress("reading the data") as say:
        hospital = load_data(data or os.environ.get("ONTOMASK_DATA") or None)
        settings = Settings(seed=seed, runs=runs, quick=quick, progress=say)
        outcomes = run_experiments(experiments, hospital, settings)
    if json:
        print_json([_facts(outcome, hospital.source) for outcome in outcomes])
    else:
        _print(outcomes, hospital, quick)
    if output is not None:
        _write(outcomes, hospital, quick, output, force)


def _check_output(output: Path | None, force: bool) -> None:
    """Better now than after some minutes of work."""
    from ontomask.errors import ParameterError

    if output is not None and output.exists() and not force:
        raise ParameterError(
            f"{output} exists already", "choose another name, or have it overwritten with --force"
        )
    if output is not None and not output.parent.is_dir():
        raise ParameterError(f"there is no folder {output.parent}", "make it first")


def _list(experiments: Sequence[Experiment], json: bool) -> None:
    if json:
        print_json([{"name": e.name, "paper": e.paper, "title": e.title} for e in experiments])
    else:
        print_table([(e.name, e.title) for e in experiments], indent="")


def _print(outcomes: Sequence[Outcome], data: Data, quick: bool) -> None:
    from experiments.text import data_name, outcome_text

    small = ", small samples: figures are not the papers'" if quick else ""
    typer.echo(f"data: {data_name(data.source)}{small}")
    for outcome in outcomes:
        typer.echo(f"\n{outcome_text(outcome)}", nl=False)


def _write(outcomes: Sequence[Outcome], data: Data, quick: bool, output: Path, force: bool) -> None:
    from experiments.page import page
    from ontomask._runtime.atomic_files import atomic_write

    with atomic_write(output, force=force) as file:
        file.write(page(outcomes, data.source, quick))
    typer.echo(f"written to {output}", err=True)


def _facts(outcome: Outcome, source: str) -> dict[str, Any]:
    from dataclasses import asdict

    experiment = outcome.experiment
    return {
        "name": experiment.name,
        "paper": experiment.paper,
        "title": experiment.title,
        "data": source,
        "seconds": round(outcome.seconds, 3),
        "results": [asdict(result) for result in outcome.results],
    }
