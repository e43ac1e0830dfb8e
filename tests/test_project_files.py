"""The version and the facts of a release agree in all files of the project."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hatchling.builders.wheel import WheelBuilder

import ontomask

ROOT = Path(__file__).resolve().parents[1]
HIDDEN = sorted((ROOT / ".github").rglob("*.yml"))


def test_changelog_and_citation_have_the_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## (\d\S+) \((\d{4}-\d\d-\d\d)\)$", changelog, re.MULTILINE)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert releases[0] == (ontomask.__version__, str(citation["date-released"]))
    assert citation["version"] == ontomask.__version__


def test_citation_has_the_papers_of_the_documentation():
    papers = (ROOT / "docs/concepts/papers.md").read_text(encoding="utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    titles = re.findall(r"\*([A-Z][^*]{20,})\*", papers)
    assert len(titles) == 5
    cited = {paper["title"].lower() for paper in citation["references"]}
    assert {" ".join(title.split()).lower() for title in titles} == cited


@pytest.mark.parametrize("path", HIDDEN, ids=lambda path: path.name)
def test_github_files_are_yaml(path):
    assert yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_wheel_has_type_information():
    files = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    assert "ontomask/py.typed" in files


def test_the_documentation_installs_nothing_from_a_registry():
    """The package is on no registry: extras are installed from a checkout or a wheel."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"pip install ['\"]?ontomask(\[|['\"\s`])", text), page
