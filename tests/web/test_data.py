"""Opening a table and keeping its release file: what the Data screen asks for."""

import gzip

import pytest

from ontomask.releasefile.model import load_release_file
from ontomask.web.session import Workbench
from workbench import SEED, talking_to, write_discharges


def opened(client, file, **how):
    return client.post("/api/data", json={"file": file, **how})


def test_an_opened_table_has_a_release_file_that_is_complete(client, bench):
    found = client.get("/api/session").json()
    assert found["data"] == "discharges.csv"
    assert (found["records"], found["problems"]) == (400, [])
    assert found["fields"] == load_release_file(bench.draft.path).as_dict()


def test_the_seed_is_never_told(client, bench):
    bench.seed = 987654321987654321
    for path in ("/api/session", "/api/openapi.json", "/api/work", "/api/runs", "/data"):
        assert "987654321987654321" not in client.get(path).text
    assert not any(
        b"987654321987654321" in it.read_bytes()
        for it in bench.folder.path.rglob("*")
        if it.is_file()
    )


def test_files_are_listed_without_what_was_made_beside_a_release(client, bench):
    (bench.folder.path / "notes.md").write_text("x")
    names = [it["name"] for it in client.get("/api/files").json()["tables"]]
    assert names == ["discharges.csv"]
    assert any(it.name.endswith(".taxonomy.csv") for it in bench.folder.path.iterdir())


def test_a_file_is_uploaded_opened_and_not_overwritten(empty, tmp_path_factory):
    client = talking_to(empty)
    source = write_discharges(tmp_path_factory.mktemp("elsewhere") / "x.csv", 50)
    assert client.put("/api/files/données 1.csv", content=source.read_bytes()).status_code == 201
    assert opened(client, "données 1.csv").json()["records"] == 50
    again = client.put("/api/files/données 1.csv", content=b"other")
    assert again.status_code == 422
    assert "already exists" in again.json()["message"]
    assert (empty.folder.path / "données 1.csv").read_bytes() == source.read_bytes()


def test_a_broken_csv_says_where_and_the_table_before_stays_open(client, bench):
    text = "a,b,c\n" + "1,2,3\n" * 5 + '4,"5,6\n' + "7,8\n" * 3
    (bench.folder.path / "broken.csv").write_text(text)
    answer = opened(client, "broken.csv")
    assert answer.status_code == 422
    assert "broken.csv" in answer.json()["message"]
    now = client.get("/api/session").json()
    assert now["data"] == "discharges.csv"
    assert now["not_opened"]["message"] == answer.json()["message"]


@pytest.mark.parametrize("content", [b"", b"a,b\n", b"\x00\x01\x02\xff\xfe"])
def test_what_is_no_table_is_refused_with_words(empty, content):
    (empty.folder.path / "x.csv").write_bytes(content)
    answer = opened(talking_to(empty), "x.csv")
    assert answer.status_code in (400, 422)
    assert answer.json()["message"]
    assert not empty.draft.path.exists()


def test_a_table_without_quasi_identifiers_is_opened_all_the_same(empty):
    (empty.folder.path / "x.csv").write_text("id\n" + "\n".join(f"p{i}" for i in range(40)))
    answer = opened(talking_to(empty), "x.csv")
    assert answer.status_code == 200, answer.text
    assert answer.json()["data"] == "x.csv"


def test_how_a_file_is_read_can_be_said(empty):
    rows = "\n".join(f"{20 + i % 50};Müller{i % 3}" for i in range(60))
    (empty.folder.path / "x.csv").write_bytes(f"age;name\n{rows}\n".encode("latin-1"))
    answer = opened(talking_to(empty), "x.csv", delimiter=";", encoding="latin-1")
    assert answer.json()["columns"] == 2
    assert answer.json()["fields"]["csv"] == {"delimiter": ";", "encoding": "latin-1"}


def test_gzip_is_read(empty, tmp_path_factory):
    source = write_discharges(tmp_path_factory.mktemp("elsewhere") / "x.csv", 50)
    (empty.folder.path / "x.csv.gz").write_bytes(gzip.compress(source.read_bytes()))
    assert opened(talking_to(empty), "x.csv.gz").json()["records"] == 50


def test_opening_the_same_table_again_keeps_the_release(client, bench):
    now = client.get("/api/session").json()
    fields = {**now["fields"], "method": {"name": "recoding", "k": 3}}
    client.put("/api/release", json={"fields": fields, "revision": now["revision"]})
    assert opened(client, "discharges.csv").json()["fields"] == fields


def test_opening_another_table_makes_a_release_and_undo_brings_the_old_one(client, bench):
    before = bench.draft.path.read_text()
    write_discharges(bench.folder.path / "other.csv", 60)
    now = opened(client, "other.csv").json()
    assert now["fields"]["data"] == "other.csv"
    client.post("/api/undo", json={"revision": now["revision"]})
    assert bench.draft.path.read_text() == before


def test_going_back_to_a_table_finds_what_was_said_of_it(client, bench):
    now = client.get("/api/session").json()
    fields = {**now["fields"], "method": {"name": "recoding", "k": 3}}
    client.put("/api/release", json={"fields": fields, "revision": now["revision"]})
    write_discharges(bench.folder.path / "other.csv", 60)
    opened(client, "other.csv")
    assert opened(client, "discharges.csv").json()["fields"] == fields
    assert opened(client, "other.csv").json()["fields"]["data"] == "other.csv"


def test_a_restart_finds_the_release_as_its_file_says(bench, tmp_path):
    state = bench.draft.read()
    bench.draft.write({**state.fields, "method": {"name": "recoding", "k": 4}}, state.revision)
    again = Workbench(tmp_path, seed=SEED)
    again.open(again.draft.read().fields["data"])
    assert again.spec().method.name == "recoding"
    again.close()


def test_a_taxonomy_drawn_by_hand_survives_a_new_proposal(client, bench):
    path = bench.folder.path / "release-zip.taxonomy.csv"
    by_hand = path.read_text().replace("child,parent", "child,parent\nmine,*")
    path.write_text(by_hand)
    write_discharges(bench.folder.path / "other.csv", 60)
    opened(client, "other.csv")
    opened(client, "discharges.csv")
    assert path.read_text() == by_hand


def test_two_tabs_do_not_overwrite_each_other(client, bench):
    now = client.get("/api/session").json()
    one = {**now["fields"], "method": {"name": "recoding", "k": 3}}
    two = {**now["fields"], "missing": "drop"}
    assert client.put("/api/release", json={"fields": one, "revision": now["revision"]}).is_success
    late = client.put("/api/release", json={"fields": two, "revision": now["revision"]})
    assert late.status_code == 409
    assert client.get("/api/session").json()["fields"] == one


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"fields": 3, "revision": "x"}', b"\xff"])
def test_what_is_no_request_is_refused_with_words(reader, body):
    answer = reader.put("/api/release", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["message"]
