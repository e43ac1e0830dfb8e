"""``ontomask schema``: the JSON schema of release files, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.console import print_json

__all__ = ["schema"]


def schema(
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write the schema to this file.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Print the JSON schema of release files.

    Editors use it to complete and check them.

    Example: ontomask schema --output release.schema.json
    """
    from ontomask.releasefile.tables.json_schema import json_schema_of_release_files

    if output is None:
        print_json(json_schema_of_release_files())
        return
    import json

    from ontomask._runtime.files.atomic_files import atomic_write

    with atomic_write(output, force=force) as file:
        file.write(json.dumps(json_schema_of_release_files(), ensure_ascii=False, indent=2) + "\n")
    typer.echo(f"wrote {output}", err=True)
