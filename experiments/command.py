"""``python -m experiments``: run the papers' experiments and print our results with theirs."""

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
            metavar="[NAME]...",
            help="Experiments to run, or the beginning of their names. All by default.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help="Folder that contains diabetes_130.csv.gz. The default is the folder that the "
            "variable ONTOMASK_DATA names. Without either, the data are synthetic discharges.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write a page with tables and charts (HTML).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed.")] = 0,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            min=1,
            help="Number of random samples, orders or seeds. By default every experiment has its "
            "own number, 5 or 10.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use small samples, for a first try.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and exit.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing page.")] = False,
    write_tables: Annotated[
        bool,
        typer.Option(
            "--write-tables",
            help="Write the results to experiments/tables.json and docs/reproduction.md.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Run the papers' experiments and print our results with the published figures.

    Example: python -m experiments sf tm-table-2 --data downloads --output papers.html
    """
    from experiments import Settings, find_experiments, load_data, run_experiments

    experiments = find_experiments(names or [])
    if list_:
        _list(experiments, json)
        return
    _check_output(output, force)
    if write_tables and (seed, runs, quick) != (0, None, False):
        raise _refused_tables("it got --seed, --runs or --quick")
    with show_progress("reading the data") as say:
        hospital = load_data(data or os.environ.get("ONTOMASK_DATA") or None)
        if write_tables and hospital.source != "diabetes":
            raise _refused_tables("the data are synthetic")
        settings = Settings(seed=seed, runs=runs, quick=quick, progress=say)
        outcomes = run_experiments(experiments, hospital, settings)
    if json:
        print_json([_facts(outcome, hospital.source) for outcome in outcomes])
    else:
        _print(outcomes, hospital, quick)
    if write_tables:
        from experiments import tables

        tables.write_tables(outcomes)
    if output is not None:
        _write(outcomes, hospital, quick, output, force)


def _check_output(output: Path | None, force: bool) -> None:
    """Refuse a bad path now rather than after some minutes of work."""
    from ontomask.errors import ParameterError

    if output is not None and output.exists() and not force:
        raise ParameterError(
            f"--output must be a new file, got {output}, which exists",
            "choose another name, or overwrite the file with --force",
        )
    if output is not None and not output.parent.is_dir():
        raise ParameterError(
            f"--output must be in an existing folder, got {output}", "create the folder first"
        )


def _refused_tables(reason: str) -> Exception:
    from ontomask.errors import ParameterError

    return ParameterError(
        f"--write-tables must have the real data and the default settings, but {reason}",
        "name the folder with --data, and leave out --seed, --runs and --quick",
    )


def _list(experiments: Sequence[Experiment], json: bool) -> None:
    if json:
        print_json([{"name": e.name, "paper": e.paper, "title": e.title} for e in experiments])
    else:
        print_table([(e.name, e.title) for e in experiments], indent="")


def _print(outcomes: Sequence[Outcome], data: Data, quick: bool) -> None:
    from experiments.text import data_name, outcome_text

    small = " (small samples: do not compare the figures with the papers')" if quick else ""
    typer.echo(f"data: {data_name(data.source)}{small}")
    for outcome in outcomes:
        typer.echo(f"\n{outcome_text(outcome)}", nl=False)


def _write(outcomes: Sequence[Outcome], data: Data, quick: bool, output: Path, force: bool) -> None:
    from experiments.page import page
    from ontomask._runtime.files.atomic_files import atomic_write

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
