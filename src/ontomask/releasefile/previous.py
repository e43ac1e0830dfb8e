"""Earlier releases of the same table, which an attacker can intersect with this one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ontomask.errors import FileFormatError, format_count, quote_names
from ontomask.releasefile.model import ReleaseFile
from ontomask.report.manifest import FORMAT

__all__ = ["previous_cautions"]


def previous_cautions(spec: ReleaseFile) -> tuple[str, ...]:
    """The caution about the earlier releases that the file names, if any."""
    if not spec.previous:
        return ()
    manifests = {name: _read_manifest(spec.path(name)) for name in spec.previous}
    outputs = [(manifest.get("output") or {}).get("name") for manifest in manifests.values()]
    names = [output or Path(name).name for output, name in zip(outputs, manifests, strict=True)]
    return (
        f"the table was released before, in {format_count(len(names), 'release')} "
        f"({quote_names(names)}). Guarantees do not hold for several releases together: an "
        "attacker can intersect the equivalence classes of a person. To count the records that "
        "this singles out, use ontomask evaluate with the option --with",
    )


def _read_manifest(path: Path) -> dict[str, Any]:
    hint = "name the .manifest.json file that was written with an earlier release"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror or error}", hint) from None
    except ValueError:  # not JSON, or not text
        manifest = None
    if not isinstance(manifest, dict) or not {"format", "guarantee", "records"} <= manifest.keys():
        raise FileFormatError(f"{path} must be the manifest of a release", hint)
    if manifest["format"] != FORMAT:
        raise FileFormatError(
            f"{path} must be a manifest of format {FORMAT}, got format {manifest['format']}",
            "write the earlier release again with this version of ontomask",
        )
    return manifest
