"""The cache: the same taxonomy again without parsing, and never a wrong one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import ontomask as om
from ontomask.errors import SeveralRootsWarning
from ontomask.taxonomy import cache
from ontomask.taxonomy.readers import child_parent


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ONTOMASK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SMALLEST", 0)
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path, diagnoses):
    path = tmp_path / "tax.csv"
    diagnoses.write(path)
    return path


def refuse(*args, **options):
    raise AssertionError("parsed again")


def test_the_second_load_parses_nothing(folder, file, monkeypatch, diagnoses):
    first = om.load_taxonomy(file)
    monkeypatch.setattr(child_parent, "read", refuse)
    monkeypatch.setattr(cache, "_save_entry", refuse)
    second = om.load_taxonomy(file)
    assert second == first == diagnoses
    assert second.about == first.about
    assert (second.depths == first.depths).all()
    assert om.distance(second, "influenza", "sprain") == om.distance(first, "influenza", "sprain")
    with pytest.raises(ValueError, match="read-only"):
        second.depths[0] = 3


def test_aliases_code_styles_and_counts_come_back(folder, tmp_path):
    style = om.load_taxonomy("icd9cm").about.code_style
    about = om.taxonomy.About("n", "s", "v", {"obsolete concepts": 3}, style)
    tax = om.Taxonomy.from_edges(
        [("a", "r"), ("b", "r")], {"a": ["A", "ä"]}, aliases={"x": "a", "y": "a"}, about=about
    )
    entry = folder / "some.npz"
    cache._save_entry(entry, tax, [])
    again, _ = cache._load_entry(entry)
    assert again == tax
    assert again.about == about


def test_another_content_option_or_name_is_another_entry(folder, file, tmp_path):
    om.load_taxonomy(file)
    file.write_text(file.read_text().replace("sprain", "strain"))
    assert "strain" in om.load_taxonomy(file)
    om.load_taxonomy(file, header=True)
    assert len(list(folder.glob("*.npz"))) == 3


def test_a_warning_is_given_every_time_and_names_the_file(folder, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("child,parent\na,p\nb,q\n")
    for _ in range(2):
        with pytest.warns(
            SeveralRootsWarning, match=r"two\.csv: the taxonomy has 2 roots"
        ) as caught:
            om.load_taxonomy(path)
        assert caught[0].filename == __file__


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nonsense", b"x" * 500])
def test_a_damaged_entry_is_parsed_again(folder, file, diagnoses, damage):
    om.load_taxonomy(file)
    (entry,) = folder.glob("*.npz")
    whole = entry.read_bytes()
    entry.write_bytes(damage)
    assert om.load_taxonomy(file) == diagnoses
    assert entry.read_bytes() == whole
    entry.write_bytes(whole[: len(whole) // 2])
    assert om.load_taxonomy(file) == diagnoses


def test_a_pickle_is_never_unpickled(folder, file, diagnoses):
    om.load_taxonomy(file)
    (entry,) = folder.glob("*.npz")
    np.savez(entry, start=np.array([print], dtype=object), allow_pickle=True)
    assert om.load_taxonomy(file) == diagnoses


def test_where_nothing_can_be_written_it_goes_without(tmp_path, monkeypatch, file, diagnoses):
    monkeypatch.setattr(cache, "SMALLEST", 0)
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder")
    monkeypatch.setenv("ONTOMASK_CACHE", str(blocked / "cache"))
    assert om.load_taxonomy(file) == diagnoses


def test_it_can_be_turned_off_and_small_files_do_without(tmp_path, monkeypatch, file):
    monkeypatch.setenv("ONTOMASK_CACHE", "off")
    assert cache.cache_folder() is None
    monkeypatch.setenv("ONTOMASK_CACHE", str(tmp_path / "cache"))
    om.load_taxonomy(file)
    assert not (tmp_path / "cache").exists()


def test_the_usual_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("ONTOMASK_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / "ontomask"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / ".cache" / "ontomask"


def test_old_entries_are_forgotten(folder, file, monkeypatch):
    monkeypatch.setattr(cache, "MOST_ENTRIES", 2)
    for label in "abcd":
        file.write_text(f"child,parent\n{label},r\n")
        om.load_taxonomy(file)
    assert len(list(folder.glob("*.npz"))) == 2


def test_names_that_would_break_the_layout_are_not_kept(folder, tmp_path):
    tax = om.Taxonomy.from_edges([("a\x1eb", "r")])
    cache._save_entry(folder / "x.npz", tax, [])
    assert not (folder / "x.npz").exists()


def test_errors_are_not_kept(folder, tmp_path):
    path = tmp_path / "loop.csv"
    path.write_text("child,parent\na,b\nb,a\n")
    for _ in range(2):
        with warnings.catch_warnings(), pytest.raises(om.errors.CycleError):
            om.load_taxonomy(path)
    assert not list(folder.glob("*")) if folder.exists() else True
