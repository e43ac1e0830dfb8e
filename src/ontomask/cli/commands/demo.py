"""``ontomask demo``: a complete release of synthetic records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.console import print_json, show_progress
from ontomask.cli.options import Json

__all__ = ["demo"]


def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new folder for the files.")
    ] = Path("ontomask-demo"),
    json: Json = False,
) -> None:
    """Try all steps on synthetic data.

    Makes a table of synthetic hospital discharges, then runs init, check and mask.

    Example: ontomask demo trial
    """
    from ontomask.cli.commands.check import print_check, run_check
    from ontomask.cli.commands.init import print_profile
    from ontomask.cli.commands.mask import format_summary, mask_with_progress

    with show_progress("making synthetic discharges"):
        from ontomask.releasefile.demo import write_demo
        from ontomask.releasefile.profile.proposed_file import write_proposal
        from ontomask.releasefile.profile.table_profile import profile

        data = write_demo(folder)
        table_profile = profile(data)
        spec = write_proposal(table_profile, folder / "release.yaml").file
    if json:
        print_json(mask_with_progress(spec, None).as_dict())
        return
    typer.echo(f"$ ontomask init {data} --output {spec}")
    print_profile(table_profile)
    typer.echo(f"\n$ ontomask check {spec}")
    print_check(run_check(spec))
    typer.echo(f"\n$ ontomask mask {spec}")
    outcome = mask_with_progress(spec, None)
    typer.echo(format_summary(outcome.as_dict()))
    typer.echo(
        f"\nThe release file is {spec}, the masked table is {outcome.files[0]}. Open the report "
        f"{outcome.files[2]} in a browser.",
        err=True,
    )
