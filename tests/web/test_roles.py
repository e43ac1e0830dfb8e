"""The opened table and the Roles screen: what is suggested, and who is unique."""

from __future__ import annotations

import csv
import threading
from collections import Counter
from datetime import date

import pandas as pd
import pytest
from playwright.sync_api import expect

from ontomask.errors import FileFormatError
from ontomask.releasefile.check import check
from ontomask.releasefile.profile.table_profile import profile
from ontomask.web import table_session as module
from ontomask.web.errors import NotThere
from ontomask.web.table_session import TableSession
from workbench import change_fields, talking_to, visit, waited, write_discharges

#: A sensitive attribute with a taxonomy.
SENSITIVE = {"role": "confidential", "taxonomy": "icd9cm"}


@pytest.fixture
def opening(tmp_path):
    """Opens a table, given as columns; all are closed with the test."""
    opened: list[TableSession] = []

    def open_(ending="csv", **columns) -> TableSession:
        path = tmp_path / f"table.{ending}"
        frame = pd.DataFrame(columns)
        frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
        opened.append(TableSession.open(path))
        return opened[-1]

    yield open_
    for it in opened:
        it.close()


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def uniques(rows, names):
    held = Counter(tuple(row[name] for name in names) for row in rows)
    return sum(n == 1 for n in held.values())


def unique_people(rows, names, person):
    held = {}
    for row in rows:
        held.setdefault(tuple(row[name] for name in names), set()).add(row[person])
    return len({who for some in held.values() if len(some) == 1 for who in some})


# ---------------------------------------------------------------------- the opened table


def test_it_is_looked_at_as_init_does(tmp_path):
    path = write_discharges(tmp_path / "discharges.csv")
    opened = TableSession.open(path)
    assert opened.profile == profile(path)
    opened.close()


def test_a_table_without_quasi_identifiers_is_opened(opening):
    opened = opening(name=[f"Ann {i}" for i in range(40)], empty=[None] * 40)
    assert [it.role for it in opened.profile.columns] == ["identifier", "drop"]
    assert opened.profile.uniques == 0
    assert opened.classes(["name"]).uniques == 40


def test_a_broken_file_is_refused_with_its_line(tmp_path):
    (tmp_path / "broken.csv").write_text('a,b\n1,2\n3,"4\n', encoding="utf-8")
    with pytest.raises(FileFormatError, match="line 3"):
        TableSession.open(tmp_path / "broken.csv")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_values_are_counted_as_text(opening, ending):
    opened = opening(
        ending,
        word=["b", "a", "a", None],
        flag=[True, False, True, True],
        day=[date(2020, 1, 2)] * 3 + [None],
        number=[1.5, float("nan"), 1.5, 2.0],
    )
    assert list(opened.values("word").items()) == [("a", 2), ("b", 1)]
    assert opened.values("flag") == {"True": 3, "False": 1}
    assert opened.values("day") == {"2020-01-02": 3}
    assert opened.values("number") == {"1.5": 2, "2.0": 1}
    assert opened.preview[1] == ["a", "False", "2020-01-02", None]
    with pytest.raises(NotThere):
        opened.values("nothing")


def test_long_cells_are_cut_and_twenty_rows_are_shown(opening):
    opened = opening(text=["x" * 500, *("y" * 200 for _ in range(30))], place=range(31))
    assert len(opened.preview) == 20
    assert [row[1] for row in opened.preview] == [str(i) for i in range(20)]
    assert opened.preview[0][0] == "x" * 199 + "…"
    assert opened.preview[1][0] == "y" * 200


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("most", [0, 1_000])
def test_missing_values_are_alike_however_they_are_written(opening, monkeypatch, ending, most):
    monkeypatch.setattr(module, "MOST_IN_MEMORY", most)  # 0: DuckDB counts
    opened = opening(
        ending, word=["?", None, "n/a", "x"], number=[0.0, -0.0, float("nan"), float("nan")]
    )
    assert opened.classes(["word"]).uniques == 4
    assert opened.classes(["word"], marks=["?", "n/a"]).uniques == 1
    assert opened.classes(["word"], marks=["?"]).uniques == 2
    if ending == "parquet":  # in CSV these are texts: 0.0, -0.0 and nothing
        assert opened.classes(["number"]).uniques == 0


@pytest.mark.parametrize("most", [0, 1_000])
def test_the_order_of_values_in_a_set_does_not_matter(opening, monkeypatch, most):
    monkeypatch.setattr(module, "MOST_IN_MEMORY", most)
    cells = ["a;b", "b; a", "a;b;b", "a", ";", None]
    opened = opening("parquet", dx=cells, many=[["b", "a"], ["a", "b"], ["a"], [], [], None])
    assert opened.classes(["dx"]).uniques == 6
    assert opened.classes(["dx"], marks=["a"], separators={"dx": ";"}).uniques == 1
    assert opened.classes(["dx"], separators={"dx": ";"}).uniques == 3
    assert opened.classes(["many"], separators={"many": ";"}).uniques == 2


@pytest.mark.parametrize("most", [0, 1_000])
def test_people_who_look_alike_are_one_and_unknown_ones_are_nobody(opening, monkeypatch, most):
    monkeypatch.setattr(module, "MOST_IN_MEMORY", most)
    opened = opening(
        "csv", ward=["a", "a", "b", "b", "c", "d"], who=["P1", "p1 ", "7", "07.0", "?", "P1"]
    )
    found = opened.classes(["ward"], "who", marks=["?"])
    assert (found.people, found.unique_people) == (2, 2)
    assert found.sizes[0].classes == 4  # of one person each, or of nobody known
    assert opened.classes(["ward"], "who").people == 3  # "?" is a name where no mark says more


@pytest.mark.parametrize("most", [0, 1_000])
def test_classes_are_those_of_the_file(tmp_path, monkeypatch, most):
    monkeypatch.setattr(module, "MOST_IN_MEMORY", most)
    path = write_discharges(tmp_path / "discharges.csv")
    opened, rows = TableSession.open(path), rows_of(path)
    for names in ([], ["sex"], ["age", "sex"], ["zip", "age", "diagnosis", "severity"]):
        assert opened.classes(names).uniques == uniques(rows, names)
        found = opened.classes(names, "patient")
        assert found.unique_people == unique_people(rows, names, "patient")
    opened.close()


def test_types_that_no_dictionary_takes(opening):
    opened = opening("parquet", many=[[1], [1], [2]], word=["a", "b", "b"])
    assert opened.classes(["many"]).uniques == 1
    assert opened.classes(["many", "word"]).uniques == 3


def test_several_threads_ask_at_once(tmp_path):
    path = write_discharges(tmp_path / "discharges.csv")
    opened, rows = TableSession.open(path), rows_of(path)
    names = ["age", "sex", "zip", "severity", "diagnosis"]
    found: dict[int, tuple[int, int]] = {}

    def ask(place: int) -> None:
        asked = names[: 1 + place % len(names)]
        values = opened.values(asked[-1])
        found[place] = (opened.classes(asked).uniques, sum(values.values()))

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place in range(20):
        asked = names[: 1 + place % len(names)]
        assert found[place] == (uniques(rows, asked), len(rows))
    opened.close()


def test_a_closed_table_says_so(opening):
    opened = opening(word=["a", "b"] * 20, other=["x", "y"] * 20)
    opened.close()
    opened.close()
    with pytest.raises(NotThere, match="no longer open"):
        opened.values("word")
    with pytest.raises(NotThere, match="no longer open"):
        opened.facts("word")


# ---------------------------------------------------------------------- what the page asks for


def test_the_columns_with_what_is_suggested(client, bench):
    found = client.get("/api/columns").json()
    assert (found["records"], found["person"]) == (400, "patient")
    columns = {it["name"]: it for it in found["columns"]}
    assert list(columns) == bench.table.names
    assert columns["patient"]["role"] == "identifier"
    assert columns["patient"]["person"] is True
    assert columns["patient"]["frequent"] == []  # nobody is named
    assert columns["diagnosis"]["role"] == "quasi"
    assert columns["diagnosis"]["taxonomy"] == "icd9cm"
    assert "icd9cm" in columns["diagnosis"]["reason"]
    assert columns["sex"]["distinct"] == 2


def test_the_first_rows(client, bench):
    found = client.get("/api/preview").json()
    rows = rows_of(bench.folder.path / "discharges.csv")[:20]
    assert found["names"] == list(rows[0])
    assert found["rows"] == [list(row.values()) for row in rows]


def test_who_is_unique(client, bench):
    rows = rows_of(bench.folder.path / "discharges.csv")
    names = ["zip", "age", "sex"]
    found = client.get("/api/classes", params={"column": names}).json()
    assert found["unit"] == "records"
    assert found["unique_records"] == uniques(rows, names)
    assert found["share"] == uniques(rows, names) / 400
    assert found["tuples"] == len({tuple(row[name] for name in names) for row in rows})
    assert sum(it["records"] for it in found["sizes"]) == 400
    assert [it["column"] for it in found["columns"]] == names
    for it in found["columns"]:
        without = uniques(rows, [name for name in names if name != it["column"]])
        assert it["uniques"] == uniques(rows, names) - without
        assert it["alone"] == uniques(rows, [it["column"]])


def test_who_is_unique_among_people(client, bench):
    rows = rows_of(bench.folder.path / "discharges.csv")
    asked = {"column": ["age", "sex"], "person": "patient"}
    found = client.get("/api/classes", params=asked).json()
    assert found["unit"] == "people"
    assert found["people"] == len({row["patient"] for row in rows})
    assert found["unique_people"] == unique_people(rows, ["age", "sex"], "patient")
    assert found["share"] == found["unique_people"] / found["people"]
    bags = {}
    for row in rows:
        bags.setdefault(row["patient"], []).append((row["age"], row["sex"]))
    shared = Counter(tuple(sorted(bag)) for bag in bags.values())
    alone = sum(people == 1 for people in shared.values())
    assert found["linked_unique_people"] == alone
    # The check of a release file says the same.
    (bench.folder.path / "sexes.csv").write_text("child,parent\nF,any\nM,any\n", encoding="utf-8")
    spec = bench.folder.path / "linked.yaml"
    spec.write_text(
        "data: discharges.csv\noutput: out.csv\nother: drop\nperson: patient\nlinked: split\n"
        "columns: {age: {role: quasi, type: numeric}, sex: {role: quasi, taxonomy: sexes.csv}}\n"
        "method: {name: microaggregation, k: 3}\n",
        encoding="utf-8",
    )
    checked = check(spec)
    assert checked.risk["uniques"] == alone
    assert any(note.startswith(f"{alone:,} of {len(bags):,} people") for note in checked.notes)


def test_marks_of_missing_values_are_those_of_the_release(client, bench):
    state = bench.draft.read()
    before = client.get("/api/classes", params={"column": "sex"}).json()
    bench.draft.write({**state.fields, "missing_marks": ["F", "M"]}, state.revision)
    after = client.get("/api/classes", params={"column": "sex"}).json()
    assert (before["tuples"], after["tuples"]) == (2, 1)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/classes?column=nothing", 404),
        ("/api/classes?column=age&person=nothing", 404),
        ("/api/classes?column=", 422),
        ("/api/classes?" + "&".join(["column=age"] * 201), 422),
        ("/api/columns/nothing/suggestion?role=quasi", 404),
        ("/api/columns/age/suggestion?role=person", 422),
        ("/api/columns/age/suggestion", 422),
    ],
)
def test_what_is_refused(reader, path, status):
    answer = reader.get(path)
    assert answer.status_code == status
    assert answer.json()["message"]


def test_without_a_table_nothing_is_told(empty):
    client = talking_to(empty)
    for path in ("columns", "preview", "classes", "columns/a/suggestion?role=keep"):
        answer = client.get(f"/api/{path}")
        assert answer.status_code == 404
        assert "Data screen" in answer.json()["hint"]


@pytest.mark.parametrize(
    ("column", "role", "fields"),
    [
        ("age", "quasi", {"role": "quasi", "type": "numeric"}),
        ("age", "drop", {"role": "drop"}),
        ("diagnosis", "quasi", {"role": "quasi", "taxonomy": "icd9cm"}),
        ("outcome", "quasi", {"role": "quasi", "taxonomy": "icd9cm"}),
        ("admitted", "quasi", {"role": "quasi", "type": "date"}),
        ("zip", "quasi", {"role": "quasi", "type": "nominal"}),
        ("charge", "quasi", {"role": "quasi", "type": "numeric"}),
        ("charge", "confidential", {"role": "confidential", "type": "numeric"}),
        ("ward", "confidential", {"role": "confidential"}),
        ("patient", "identifier", {"role": "identifier"}),
    ],
)
def test_what_a_release_would_say_of_a_column(reader, column, role, fields):
    found = reader.get(f"/api/columns/{column}/suggestion", params={"role": role}).json()
    assert found["fields"] == fields
    assert found["lacks"] is None
    made = {"how": "prefixes", "separator": None, "lengths": [1, 3]}
    assert found["make"] == (made if column == "zip" else None)


def test_what_is_missing_for_a_column_is_said_in_words(empty):
    path = empty.folder.path / "words.csv"
    said = [f"word {i} of many" for i in range(3000)]
    pd.DataFrame({"sex": ["f", "m"] * 1500, "comes/from": said, "empty": [None] * 3000}).to_csv(
        path, index=False
    )
    empty.open("words.csv")
    client = talking_to(empty)
    found = client.get("/api/columns/comes%2Ffrom/suggestion?role=quasi").json()
    assert found["fields"] == {"role": "quasi"}
    assert "3,000 distinct values and no taxonomy" in found["lacks"]
    found = client.get("/api/columns/empty/suggestion?role=quasi").json()
    assert "it has no values" in found["lacks"].lower()


def test_a_column_compared_by_meaning_in_t_closeness_has_its_meaning(client, bench):
    column = {**SENSITIVE, "ground": "semantic"}
    change_fields(bench, lambda fields: fields["columns"].update(outcome=column))
    answer = client.get("/api/columns/outcome/meaning")
    assert answer.status_code == 200, answer.json()
    assert answer.json()["coverage"] == 1
    change_fields(bench, lambda fields: fields["columns"]["outcome"].update(ground="near"))
    (problem,) = client.get("/api/session").json()["problems"]
    assert problem["what"] == (
        "the distance of t-closeness of column outcome must be 'equal' or 'semantic', got 'near'"
    )


def test_sampling_weights_must_not_be_a_quasi_identifier(client, bench):
    change_fields(bench, lambda fields: fields.update(weight="age"))
    (problem,) = client.get("/api/session").json()["problems"]
    assert problem["what"] == "the column of sampling weights is a quasi-identifier as well"
    assert problem["hint"].endswith("on the Roles screen")
    change_fields(bench, lambda fields: fields["columns"].update(age={"role": "drop"}))
    assert client.get("/api/session").json()["problems"] == []


# ---------------------------------------------------------------------- in a browser


def roles(tab, served):
    visit(tab, served, "roles")
    return tab


def pick(tab, column, role):
    tab.check(f"tr[data-column='{column}'] input[value={role}]")


def shown_uniques(tab):
    return int(tab.get_attribute("#panel", "data-uniques"))


def fields_of(served):
    import yaml

    return yaml.safe_load((served.folder / "release.yaml").read_text("utf-8"))


def test_the_figures_follow_what_is_chosen(tab, served):
    roles(tab, served)
    rows = rows_of(served.folder / "discharges.csv")
    names = [n for n, it in fields_of(served)["columns"].items() if it["role"] == "quasi"]
    assert shown_uniques(tab) == unique_people(rows, names, "patient")
    for name in [it for it in names if it not in ("age", "sex")]:
        pick(tab, name, "drop")
    tab.wait_for_selector("#panel[data-columns='2'][aria-busy=false]")
    assert shown_uniques(tab) == unique_people(rows, ["age", "sex"], "patient")
    assert tab.inner_text("#uniques") == f"{shown_uniques(tab):,}"
    without = unique_people(rows, ["sex"], "patient")
    through = tab.get_attribute("[data-adds=age]", "data-uniques")
    assert int(through) == shown_uniques(tab) - without
    waited(lambda: fields_of(served)["columns"]["zip"] == {"role": "drop"})

    tab.select_option("#linked", "split")
    waited(lambda: fields_of(served).get("linked") == "split")
    expect(tab.locator("#uniques-words")).to_contain_text("by all their records")
    expect(tab.locator("#uniques-share")).to_contain_text("are alone with all their records")
    tab.select_option("#person", "")
    tab.wait_for_selector(f"#panel[data-uniques='{uniques(rows, ['age', 'sex'])}']")
    waited(lambda: not {"person", "linked"} & set(fields_of(served)))
    tab.wait_for_selector("#linked", state="hidden")

    tab.click("#take-all")
    columns = str(len(names))
    tab.wait_for_selector(f"#panel[data-columns='{columns}'][aria-busy=false]")
    waited(lambda: fields_of(served).get("person") == "patient")
    assert fields_of(served)["columns"]["diagnosis"] == {"role": "quasi", "taxonomy": "icd9cm"}
    assert tab.is_disabled("#take-all")


def test_a_new_quasi_identifier_gets_its_meaning_and_who_leaves_loses_nothing(tab, served):
    roles(tab, served)
    before = fields_of(served)["columns"]["zip"]
    assert before["taxonomy"] == "release-zip.taxonomy.csv"
    pick(tab, "outcome", "quasi")
    waited(lambda: fields_of(served)["columns"]["outcome"].get("taxonomy") == "icd9cm")
    tab.wait_for_selector("tr[data-column=outcome] .differs:visible")
    pick(tab, "zip", "keep")
    waited(lambda: fields_of(served)["columns"]["zip"] == {"role": "keep"})
    pick(tab, "zip", "quasi")
    waited(lambda: fields_of(served)["columns"]["zip"] == before)
    tab.click("#undo")
    waited(lambda: fields_of(served)["columns"]["zip"] == {"role": "keep"})
    tab.wait_for_selector("tr[data-column=zip] input[value=keep]:checked")

    # Arrow keys choose, and who leaves loses nothing.
    tab.focus("tr[data-column=age] input[value=quasi]")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    tab.click("nav.steps a[href='/data']")
    tab.wait_for_url("**/data")
    waited(lambda: fields_of(served)["columns"]["age"] == {"role": "keep"})


def test_an_undecided_column_waits_for_a_choice(tab, served):
    import yaml

    fields = fields_of(served)
    fields["columns"]["severity"] = {"role": "undecided"}
    text = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)
    (served.folder / "release.yaml").write_text(text, "utf-8")
    roles(tab, served)
    row = "tr[data-column=severity]"
    tab.wait_for_selector(f"{row} .lacks:has-text('Choose a role for this column')")
    assert tab.locator(f"{row} input:checked").count() == 0
    tab.goto(f"{served.address}/release")
    tab.wait_for_selector("[data-where='columns.severity.role'] a[href='/roles']")
    roles(tab, served)
    pick(tab, "severity", "drop")
    waited(lambda: fields_of(served)["columns"]["severity"] == {"role": "drop"})


def test_the_sampling_weights_are_chosen_checked_and_undone(tab, served):
    roles(tab, served)
    words = tab.locator("#weight-words")
    expect(words).to_have_text(
        "For a sample: how many people of the population each record stands for."
    )
    tab.select_option("#weight", "age")
    expect(words).to_contain_text("The column of sampling weights is a quasi-identifier as well.")
    pick(tab, "age", "drop")
    expect(words).to_contain_text("For a sample")
    assert fields_of(served)["weight"] == "age"
    tab.reload()
    expect(tab.locator("#weight")).to_have_value("age")
    for _ in range(2):
        tab.click("#undo")
    expect(tab.locator("#weight")).to_have_value("")
    waited(lambda: "weight" not in fields_of(served))


def test_the_distance_of_t_closeness_is_chosen_for_a_column_with_a_taxonomy(tab, served):
    def outcome():
        return fields_of(served)["columns"]["outcome"]

    change_fields(served.bench, lambda fields: fields["columns"].update(outcome=SENSITIVE))
    roles(tab, served)
    ground = tab.get_by_label("outcome: t-closeness compares values")
    row = tab.locator("tr[data-column=outcome] .ground")
    expect(ground).to_have_value("equal")
    ground.select_option("semantic")
    expect(row).to_contain_text("Values with a similar meaning are close.")
    waited(lambda: outcome() == {**SENSITIVE, "ground": "semantic"})
    tab.goto(f"{served.address}/meaning#outcome")
    expect(tab.locator("#type-words")).to_contain_text("compares its values by meaning")
    tab.locator("#covered").wait_for()
    tab.select_option("#taxonomy", "")
    waited(lambda: outcome() == {"role": "confidential", "type": "nominal"})
    tab.click("#undo")
    waited(lambda: outcome() == {**SENSITIVE, "ground": "semantic"})
    roles(tab, served)
    ground.select_option("equal")
    waited(lambda: outcome() == SENSITIVE)
    tab.click("#undo")
    expect(ground).to_have_value("semantic")
    pick(tab, "outcome", "quasi")
    expect(ground).to_have_count(0)
    waited(lambda: "ground" not in outcome())


def test_a_sensitive_column_without_a_taxonomy_is_sent_to_get_one(tab, served):
    change_fields(
        served.bench, lambda fields: fields["columns"].update(outcome={"role": "confidential"})
    )
    roles(tab, served)
    tab.click("tr[data-column=outcome] .ground a")
    expect(tab.locator("#column-title")).to_have_text("outcome")
    expect(tab.locator("tr[data-column=charge] .ground select")).to_have_count(0)
