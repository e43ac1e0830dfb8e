"""Reading manifests, and whether one fits the released file beside it."""

import json
from pathlib import Path

from ontomask.report.manifest import read_file_facts


def read_manifest(path):
    def refuse(word):
        raise ValueError(f"{word} is no JSON number")

    return json.loads(Path(path).read_text("utf-8"), parse_constant=refuse)


def assert_manifest_fits(path):
    """The output is the file beside it, and the figures agree with one another."""
    manifest = read_manifest(path)
    if manifest["output"] is not None:
        output = Path(path).parent / manifest["output"]["name"]
        assert manifest["output"] == vars(read_file_facts(output))
    guarantee, released = manifest["guarantee"], manifest["records"]["released"]
    risk = {name: figure["value"] for name, figure in manifest["risk"].items()}
    required = (manifest["release"].get("require") or {}).get("k", 0)
    assert sum(size * classes for size, classes in risk["class_sizes"]) == released
    assert not released or guarantee["smallest"] >= max(guarantee["k"] or 0, required)
    assert guarantee["unit"] != "records" or risk["k"] == guarantee["smallest"]
