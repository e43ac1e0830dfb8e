"""Zip archives: one file, a folder, and what is refused."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest

import made_up_rf2
import ontomask as om
from ontomask.errors import FileFormatError, ParameterError, UnknownTaxonomyError
from ontomask.taxonomy.readers.text import archives
from ontomask.taxonomy.readers.text.archives import find_source, source_exists

OBO = "[Term]\nid: a\n\n[Term]\nid: b\nis_a: a\n"
TABLE = "child,parent\nnurse,carer\ncarer,worker\n"


@pytest.fixture
def zipped(tmp_path):
    """Writes a zip archive with these files."""

    def write(files, name="all.zip", **settings):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED, **settings) as archive:
            for member, content in files.items():
                archive.writestr(member, content)
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    "files",
    [
        {"dis.obo": OBO},
        {"some/folder/dis.obo": OBO, "__MACOSX/some/._dis.obo": b"\0", ".DS_Store": b"\0"},
        {"dis.obo": OBO, "LICENSE.txt": "free", "readme": "read", "manual.pdf": b"%PDF"},
        {"dis.obo.gz": gzip.compress(OBO.encode())},
        {"../../dis.obo": OBO},
    ],
)
def test_an_archive_with_one_file_is_that_file(zipped, tmp_path, files):
    path = zipped(files)
    tax = om.load_taxonomy(path)
    assert (set(tax), tax.root, tax.name, tax.about.source) == ({"a", "b"}, "a", "dis", "all.zip")
    assert list(tmp_path.iterdir()) == [path]  # nothing is written


def test_an_archive_with_several_files_is_a_folder(zipped):
    path = zipped({"x/dis.obo": OBO, "jobs.csv": TABLE})
    with pytest.raises(
        FileFormatError, match=r"this folder is not .*\n.*\n.*name a file in it: 'all\.zip/jobs\.cs"
    ):
        om.load_taxonomy(path)
    assert om.load_taxonomy(f"{path}/x/dis.obo").root == "a"
    assert om.load_taxonomy(path / "jobs.csv").root == "worker"
    with pytest.raises(FileFormatError, match=r"all\.zip contains no file 'y\.csv'\n.*\n.*dis\.ob"):
        om.load_taxonomy(path / "y.csv")
    with pytest.raises(UnknownTaxonomyError):
        om.load_taxonomy(str(path.with_name("none.zip")) + "/y.csv")


def test_a_release_of_snomed_ct_is_read_as_it_comes(tmp_path):
    made_up_rf2.write(tmp_path / "SnomedCT_X", 40)
    with zipfile.ZipFile(tmp_path / "SnomedCT_X.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((tmp_path / "SnomedCT_X").rglob("*.txt")):
            archive.write(file, file.relative_to(tmp_path))
    from_zip = om.load_taxonomy(tmp_path / "SnomedCT_X.zip")
    from_folder = om.load_taxonomy(tmp_path / "SnomedCT_X")
    assert from_zip == from_folder
    assert from_zip.about.left_out == from_folder.about.left_out
    with pytest.raises(ParameterError, match=r"the descriptions of .*SnomedCT_X\.zip are in 'en'"):
        om.load_taxonomy(tmp_path / "SnomedCT_X.zip", language="xx")


def test_what_a_release_file_may_name(zipped, tmp_path):
    zipped({"jobs.csv": TABLE, "other.csv": TABLE})
    assert source_exists(tmp_path / "all.zip")
    assert source_exists(tmp_path / "all.zip/jobs.csv")
    assert not source_exists(tmp_path / "all.zip/nurse.csv")
    assert not source_exists(tmp_path / "none.zip/jobs.csv")


def with_header(path, name, place, value):
    """A copy of an archive with another byte in both headers of its only file."""
    content = bytearray(path.read_bytes())
    content[place] = value
    content[content.index(b"PK\x01\x02") + place + 2] = value
    path.with_name(name).write_bytes(content)
    return path.with_name(name)


def test_a_damaged_or_encrypted_archive_is_refused(zipped):
    good = zipped({"dis.obo": OBO * 9})
    for damaged in (good.read_bytes()[:-9], good.read_bytes()[:60], b"PK\x03\x04"):
        path = good.with_name("damaged.zip")
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match=r"damaged\.zip: the zip archive is damaged"):
            om.load_taxonomy(path)
    stored = good.with_name("stored.zip")
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("dis.obo", OBO)
    stored.write_bytes(stored.read_bytes().replace(b"is_a: a", b"is_a: b"))
    with pytest.raises(FileFormatError, match=r"stored\.zip/dis\.obo: the zip archive is damaged"):
        om.load_taxonomy(stored)
    with pytest.raises(FileFormatError, match=r"locked\.zip/dis\.obo is encrypted"):
        om.load_taxonomy(with_header(good, "locked.zip", 6, 1))
    with pytest.raises(FileFormatError, match=r"cannot be read .*\n.*\n.*another program"):
        om.load_taxonomy(with_header(good, "other.zip", 8, 9))


def test_a_bomb_is_refused_before_it_is_unpacked(zipped, monkeypatch):
    monkeypatch.setattr(archives, "LARGEST_EXPANSION", 10_000)
    with pytest.raises(FileFormatError, match=r"bytes in the archive become 1,000,000"):
        om.load_taxonomy(zipped({"big.csv": bytes(1_000_000)}))
    monkeypatch.setattr(archives, "MOST_FILES", 3)
    with pytest.raises(FileFormatError, match=r"all\.zip contains 4 files"):
        om.load_taxonomy(zipped({f"{i}.txt": "x" for i in range(4)}))
    with pytest.raises(FileFormatError, match=r"all\.zip contains no file"):
        om.load_taxonomy(zipped({".hidden": "x"}))


def test_an_office_document_is_a_file(tmp_path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    (tmp_path / "codes.xlsx").write_bytes(content.getvalue())
    source = find_source(tmp_path / "codes.xlsx")
    assert not source.is_folder
    assert source.head.startswith(b"PK")
    assert find_source(Path("missing.obo")).path == Path("missing.obo")
