"""No name from the page leads out of the working folder, and nothing in it is overwritten."""

import asyncio
import os
from threading import Thread

import pandas as pd
import pytest

from ontomask.errors import OntomaskError, ParameterError
from ontomask.web.errors import NotThere, OutsideError, TooLarge
from ontomask.web.folder import WorkingFolder
from ontomask.web.session import Workbench
from workbench import SEED, talking_to


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "work"
    place.mkdir()
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (place / "own.csv").write_text("a\n1\n")
    return WorkingFolder(place, largest=100)


def received(folder, name, *chunks):
    """What becomes of an upload; in a thread, since a browser may keep a loop in this one."""

    async def sent():
        for chunk in chunks:
            yield chunk

    found = []

    def work():
        try:
            found.append(asyncio.run(folder.store_upload(name, sent())))
        except OntomaskError as error:
            found.append(error)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]


@pytest.mark.parametrize(
    "name",
    [
        "../secret.csv",
        "sub/../../secret.csv",
        "/etc/passwd",
        "..",
        "",
        "a\0b",
        "own.csv/../../secret.csv",
        ".hidden",
        "sub/.hidden/x",
        "x" * 5000,
    ],
)
def test_what_is_outside_is_refused(folder, name):
    with pytest.raises(OutsideError):
        folder.resolve_inside(name)


def test_a_link_that_leads_out_is_outside(folder, tmp_path):
    (folder.path / "link.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(OutsideError):
        folder.resolve_inside("link.csv")
    assert [it.name for it in folder.tables()] == ["own.csv"]


def test_what_the_owner_named_elsewhere_may_be_a_link(folder, tmp_path):
    (folder.path / "link.csv").symlink_to(tmp_path / "secret.csv")
    folder.trust(folder.path / "link.csv")
    assert folder.resolve_inside("link.csv").read_text() == "a\n1\n"


def test_names_in_the_folder_and_below_are_fine(folder):
    assert folder.resolve_inside("own.csv") == folder.path / "own.csv"
    assert folder.resolve_inside("new/name.csv") == folder.path / "new" / "name.csv"
    with pytest.raises(NotThere):
        folder.resolve_existing("other.csv")


def test_an_upload_is_stored_for_its_owner_alone(folder):
    path = received(folder, "data.csv", b"a,b\n", b"1,2\n")
    assert path.read_bytes() == b"a,b\n1,2\n"
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0


def test_an_upload_over_the_limit_leaves_nothing(folder):
    before = sorted(os.listdir(folder.path))
    with pytest.raises(TooLarge):
        received(folder, "data.csv", b"x" * 60, b"x" * 60)
    assert sorted(os.listdir(folder.path)) == before


def test_an_upload_never_overwrites(folder):
    with pytest.raises(ParameterError, match="already exists"):
        received(folder, "own.csv", b"other")
    assert (folder.path / "own.csv").read_text() == "a\n1\n"


@pytest.mark.parametrize(
    "name", ["a/b.csv", "..", "../b.csv", ".x.csv", "a\\b.csv", "a\nb.csv", ""]
)
def test_an_upload_has_a_plain_name(folder, name):
    with pytest.raises(OutsideError):
        received(folder, name, b"x")


def test_tables_and_taxonomies_are_told_by_their_names(folder):
    for name in ("b.parquet", "c.csv.gz", "notes.md", "d.obo", "release.yaml"):
        (folder.path / name).write_text("x")
    assert [it.name for it in folder.tables()] == ["b.parquet", "c.csv.gz", "own.csv"]
    assert "d.obo" in [it.name for it in folder.taxonomies()]


@pytest.mark.parametrize("name", ["numpy.py", "run.sh", "site.pth", "a.so", "data", "a.py.gz"])
def test_only_tables_taxonomies_and_release_files_can_be_uploaded(folder, name):
    with pytest.raises(ParameterError, match="cannot be uploaded"):
        folder._new_file(name)


@pytest.mark.parametrize("name", ["a.csv", "a.CSV.gz", "a.parquet", "a.owl", "a.obo.gz", "a.yml"])
def test_tables_taxonomies_and_release_files_can_be_uploaded(folder, name):
    assert folder._new_file(name).name == name


def test_a_taxonomy_beside_the_table_is_proposed(tmp_path):
    """As by ``ontomask init``; a link that leads out of the folder is not followed."""
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere.csv"
    folder.mkdir()
    rows = ["top,", "flu,top", "sprain,top", "burn,top", "rash,top"]
    elsewhere.write_text("child,parent\n" + "\n".join(rows), "utf-8")
    (folder / "link.csv").symlink_to(elsewhere)
    words = [row.split(",")[0] for row in rows[1:]]
    frame = pd.DataFrame({"finding": words * 50, "age": [str(i * i % 47) for i in range(200)]})
    frame.to_csv(folder / "data.csv", index=False)
    bench = Workbench(folder, seed=SEED)
    assert bench.open("data.csv").fields["columns"]["finding"]["format"] == "child-parent"
    bench.close()
    (folder / "release.yaml").unlink()
    (folder / "own.csv").write_text(elsewhere.read_text("utf-8"), "utf-8")
    bench = Workbench(folder, seed=SEED)
    proposed = {"role": "quasi", "taxonomy": "own.csv"}
    assert bench.open("data.csv").fields["columns"]["finding"] == proposed
    page = talking_to(bench)
    suggestion = page.get("/api/columns/finding/suggestion", params={"role": "quasi"}).json()
    assert suggestion["fields"] == proposed
    columns = page.get("/api/columns").json()["columns"]
    assert columns[0]["taxonomy"] == "own.csv"
    bench.close()
