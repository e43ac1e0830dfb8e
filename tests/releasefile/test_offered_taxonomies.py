"""Taxonomies beside a table, or named with it, and the columns that they are assigned to."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import OntomaskError
from ontomask.releasefile.model import load_release_file
from ontomask.releasefile.profile import offered_taxonomies
from ontomask.releasefile.profile.offered_taxonomies import (
    OfferedTaxonomies,
    OfferedTaxonomy,
    files_beside,
    load_offered_taxonomies,
    name_in_release_file,
)
from ontomask.releasefile.profile.proposed_file import write_proposal
from ontomask.releasefile.profile.table_profile import profile
from ontomask.releasefile.profile.taxonomy_choice import CLEARLY_BETTER, choose_taxonomy
from ontomask.releasefile.run import write_release
from strategies import taxonomies

FINDINGS = ["flu", "hepatitis", "sprain", "Fracture", "X:1"]
TERMS = {
    "X:0": ("disease", ""),
    "X:1": ("infection", "X:0"),
    "X:2": ("influenza", "X:1"),
    "X:3": ("hepatitis", "X:1"),
    "X:4": ("injury", "X:0"),
    "X:5": ("sprain", "X:4"),
    "X:6": ("fracture", "X:4"),
}
#: No reader can make a taxonomy of this.
CYCLE = "format-version: 1.2\n[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_a: a\n"


def write_obo(path: Path, terms: Mapping[str, tuple[str, str]] = TERMS, without: str = "") -> None:
    frames = [
        f"[Term]\nid: {code}\nname: {name}\n"
        + ('synonym: "flu" EXACT []\n' if name == "influenza" else "")
        + (f"is_a: {parent}\n" if parent else "")
        for code, (name, parent) in terms.items()
        if name != without
    ]
    path.write_text("format-version: 1.2\n\n" + "\n".join(frames), "utf-8")


@pytest.fixture
def folder(tmp_path):
    """A folder with a table of findings."""
    rows = {"finding": [*FINDINGS * 40], "age": [str(20 + i * i % 47) for i in range(200)]}
    pd.DataFrame(rows).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path


def propose(folder: Path, *named: str | Path) -> str:
    table = profile(folder / "data.csv", taxonomies=named)
    write_proposal(table, folder / "release.yaml", force=True)
    return (folder / "release.yaml").read_text("utf-8")


# ---------------------------------------------------------------------- from a folder to a release


def test_a_folder_with_a_table_and_an_ontology_becomes_a_release(folder, command):
    """No line of Python: ``ontomask init`` and ``ontomask mask``."""
    write_obo(folder / "onto.obo")
    (folder / "other.csv").write_text("finding,age\nflu,30\n", "utf-8")  # another table
    (folder / "broken.obo").write_text(CYCLE, "utf-8")
    (folder / "noise.owl").write_bytes(bytes(range(256)))
    (folder / "settings.json").write_text("{}", "utf-8")
    done = command(folder, "init", "data.csv")
    assert done.code == 0, done.err
    refused = [line for line in done.err.splitlines() if line.startswith("not used: ")]
    assert [line.split()[2].strip(":,") for line in refused] == ["broken.obo", "noise.owl"]
    text = (folder / "release.yaml").read_text("utf-8")
    assert "the taxonomy onto.obo contains all of the distinct values" in text
    assert "finding: {role: quasi, taxonomy: onto.obo}" in text
    release = write_release(folder / "release.yaml").release
    assert release.guarantee.k >= 5
    masked = pd.read_csv(folder / "data.released.csv", dtype=str)
    assert set(masked["finding"]) <= {name for name, _ in TERMS.values()} | set(TERMS)


def test_a_named_taxonomy_is_assigned_and_named_relative_to_the_release_file(
    folder, command, tmp_path_factory
):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "own.obo"
    write_obo(elsewhere)
    done = command(folder, "init", "data.csv", "--taxonomy", str(elsewhere), "--taxonomy", "icd9cm")
    assert done.code == 0, done.err
    assert "no column was assigned to icd9cm" in done.err
    spec = load_release_file(folder / "release.yaml")
    assert spec.columns["finding"].taxonomy == str(elsewhere.resolve())
    (folder / "vocabulary").mkdir()
    write_obo(folder / "vocabulary" / "own.obo")
    propose(folder, folder / "vocabulary" / "own.obo")
    spec = load_release_file(folder / "release.yaml")
    assert spec.columns["finding"].taxonomy == "vocabulary/own.obo"
    assert name_in_release_file("wordnet", folder) == "wordnet"
    assert name_in_release_file(folder / "wordnet", folder) == "./wordnet"


def test_a_named_taxonomy_that_cannot_be_loaded_is_an_error(folder, command):
    (folder / "broken.obo").write_text(CYCLE, "utf-8")
    for name, words in {
        "broken.obo": "'a' is a 'b' is a 'a'",
        "nothing.obo": "nothing.obo",
    }.items():
        done = command(folder, "init", "data.csv", "--taxonomy", name)
        assert done.code == 2
        assert words in done.err
    assert not (folder / "release.yaml").exists()


# ---------------------------------------------------------------------- which one


def test_the_runner_up_is_in_the_comment(folder):
    write_obo(folder / "all.obo")
    write_obo(folder / "most.obo", without="sprain")
    text = " ".join(propose(folder).replace("#", " ").split())
    assert "the taxonomy all.obo contains all of the distinct values (the next best:" in text
    assert "most.obo 80 %)" in text


def test_two_that_are_about_as_good_leave_the_column_undecided(folder):
    write_obo(folder / "one.obo")
    write_obo(folder / "two.obo", {**TERMS, "X:7": ("burn", "X:4")})
    text = " ".join(propose(folder).replace("#", " ").split())
    assert "finding: {role: undecided}" in text
    assert "of the distinct values, one.obo contains all, two.obo all. Which" in text
    propose(folder, folder / "one.obo")  # naming one decides
    assert load_release_file(folder / "release.yaml").columns["finding"].taxonomy == "one.obo"
    (folder / "two.obo").unlink()
    (folder / "two.obo").write_bytes((folder / "one.obo").read_bytes())  # the same is no choice
    propose(folder)
    assert load_release_file(folder / "release.yaml").columns["finding"].taxonomy == "one.obo"


def test_what_covers_too_little_is_only_mentioned(folder):
    kept = {code: TERMS[code] for code in ("X:0", "X:1", "X:2")}
    write_obo(folder / "little.obo", kept)
    text = " ".join(propose(folder).replace("#", " ").split())
    assert "taxonomy: release-finding.taxonomy.csv" in text
    assert "Too few of its distinct values are in a taxonomy: little.obo 40 %" in text


@given(taxonomies(max_concepts=12), taxonomies(max_concepts=12), st.data())
def test_the_choice_equals_its_definition(first, second, data):
    """Coverage is counted value by value; the best is that with clearly most of the values."""
    pool = sorted({*first, *second, "not there", "neither"})
    values = data.draw(st.lists(st.sampled_from(pool), min_size=3, unique=True))
    offered = OfferedTaxonomies(
        (OfferedTaxonomy("first", first, False), OfferedTaxonomy("second", second, False))
    )
    choice = choose_taxonomy(dict.fromkeys(values, 1), frozenset(), offered, may_be_bundled=False)
    share = {}
    for name, taxonomy in {"first": first, "second": second}.items():
        share[name] = sum(om.map_terms([value], taxonomy).coverage == 1 for value in values) / len(
            values
        )
    best = max(share.values())
    if best < 0.5:
        assert choice.best is None
        return
    assert choice.best is not None
    assert choice.best.coverage == pytest.approx(best)
    is_close = abs(share["first"] - share["second"]) < CLEARLY_BETTER
    is_tie = is_close and (best < 1 or min(share.values()) == 1) and first != second
    assert choice.is_clear == (not is_tie)
    assert share[choice.best.taxonomy] == pytest.approx(best)


def test_levels_and_sexes_keep_their_type_unless_a_taxonomy_is_made_for_them(tmp_path):
    rows = {
        "severity": ["mild", "moderate", "severe"] * 40,
        "sex": ["female", "male", "female"] * 40,
    }
    pd.DataFrame(rows).to_csv(tmp_path / "data.csv", index=False)
    words = ["mild", "moderate", "severe", "female", "male", *(f"sign {i}" for i in range(20))]
    terms = {"S:0": ("sign", ""), **{f"S:{i}": (w, "S:0") for i, w in enumerate(words, 1)}}
    write_obo(tmp_path / "signs.obo", terms)
    propose(tmp_path)
    columns = load_release_file(tmp_path / "release.yaml").columns
    assert columns["severity"].type == "ordinal"
    assert columns["sex"].taxonomy != "signs.obo"
    (tmp_path / "severity_hierarchy.csv").write_text(
        "mild;light;*\nmoderate;heavy;*\nsevere;heavy;*\n", "utf-8"
    )
    propose(tmp_path)
    columns = load_release_file(tmp_path / "release.yaml").columns
    assert columns["severity"].taxonomy == "severity_hierarchy.csv"


def test_numbers_are_codes_if_they_are_long_or_called_so(tmp_path):
    codes = [str(4000 + 7 * i) for i in range(30)]
    frame = pd.DataFrame(
        {"occupation": codes * 10, "age": [str(i % 30) for i in range(300)], "visits": "1"}
    )
    frame.to_csv(tmp_path / "data.csv", index=False)
    rows = [f"{code},{code[:2]}" for code in codes] + [f"{n},top" for n in range(100)]
    (tmp_path / "groups.csv").write_text("child,parent\n" + "\n".join(rows), "utf-8")
    propose(tmp_path)
    columns = load_release_file(tmp_path / "release.yaml").columns
    assert columns["occupation"].taxonomy == "groups.csv"
    assert (columns["age"].type, columns["age"].taxonomy) == ("numeric", None)


# ---------------------------------------------------------------------- bounds


def test_files_beside_a_table_are_read_within_bounds(folder, monkeypatch):
    write_obo(folder / "onto.obo")
    (folder / "release-finding.taxonomy.csv").write_text("child,parent\nflu,*\n", "utf-8")
    (folder / ".hidden.obo").write_bytes((folder / "onto.obo").read_bytes())
    (folder / "folder.obo").mkdir()
    with gzip.open(folder / "bomb.obo.gz", "wb") as file:
        file.write(b"format-version: 1.2\n" + b"!" * 3_000_000)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("onto.obo", b"!" * 3_000_000)
    (folder / "bomb.zip").write_bytes(archive.getvalue())
    monkeypatch.setattr(offered_taxonomies, "LARGEST_FILE", 1_000_000)
    beside = files_beside(folder / "data.csv")
    assert [path.name for path in beside] == ["bomb.obo.gz", "bomb.zip", "onto.obo"]
    steps: list[str] = []
    offered = load_offered_taxonomies((), beside, steps.append)
    assert [taxonomy.source for taxonomy in offered.taxonomies] == [str(folder / "onto.obo")]
    assert steps == ["reading onto.obo"]
    assert offered.left_out == (
        "bomb.obo.gz: too large to be read unasked; name it with --taxonomy",
    )
    monkeypatch.setattr(offered_taxonomies, "MOST_READ", 0)
    assert not load_offered_taxonomies((), beside).taxonomies
    with pytest.raises(OntomaskError):
        load_offered_taxonomies([folder / "nothing.obo"], ())
