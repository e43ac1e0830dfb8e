"""Commands about taxonomies: what they print, what they write, how they end."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import subprocess
import sys

import pandas as pd
import pytest
import typer

import ontomask as om
from ontomask.cli import app


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(
        'id,reason\n1,sprain\n2,Sprains \n3,"flu"\n4,hepatits\n5,second sprain\n'
        "6,\n7,?\n8,sprain\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def taxonomy(tmp_path, diagnoses):
    diagnoses.write(tmp_path / "tax.csv")
    return "tax.csv"


def test_version_and_help(ontomask):
    assert ontomask("--version").stdout == f"ontomask {om.__version__}\n"
    for command in ([], ["taxonomy"]):
        assert "Usage" in ontomask(*command, "--help").stdout


def every_command(group, name=()):
    for word, it in group.commands.items():
        yield from every_command(it, (*name, word)) if hasattr(it, "commands") else [(*name, word)]


@pytest.mark.parametrize("words", [*every_command(typer.main.get_command(app))], ids=" ".join)
def test_every_command_has_an_example(command, tmp_path, words):
    said = command(tmp_path, *words, "--help")
    assert (said.code, said.err) == (0, "")
    assert f"Example: ontomask {' '.join(words)}" in " ".join(said.out.split())
    usage, _, _ = said.out.partition("\n")
    assert not re.search(r"{|\[[a-z]", usage), "arguments are in capitals, without braces"
    assert not re.search(r"^ +[A-Z]+ <", said.out, re.MULTILINE), "and have no Python types"
    assert not re.search(r"^ +-.* <", said.out, re.MULTILINE), "and so are the values of options"


def test_the_help_of_every_command_fits_its_line(ontomask):
    for group in ([], ["taxonomy"]):
        assert "..." not in ontomask(*group, "--help").stdout.partition("Commands:")[2]


def test_help_needs_nothing_heavy():
    code = (
        "import sys; sys.argv = ['ontomask', '--help']\n"
        "from ontomask.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'scipy', 'rapidfuzz', 'fastobo', 'pyoxigraph'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.endswith("[]\n")


# ---------------------------------------------------------------- taxonomy


def test_info(ontomask, taxonomy):
    said = ontomask("taxonomy", "info", taxonomy).stdout
    assert "with several parents  1" in said
    facts = json.loads(ontomask("taxonomy", "info", taxonomy, "--json").stdout)
    assert facts["concepts"] == 14
    assert facts["concepts per level"] == [1, 3, 6, 4]
    assert facts["root"] == "disease"


def test_search(ontomask, taxonomy):
    said = ontomask("taxonomy", "search", taxonomy, "serum").stdout
    assert said.splitlines()[0] == "hepatitis B  serum hepatitis"
    (hit,) = json.loads(ontomask("taxonomy", "search", taxonomy, "serum", "--json").stdout)
    assert hit["path"] == ["hepatitis B", "hepatitis", "liver disease", "disease"]
    nothing = ontomask("taxonomy", "search", taxonomy, "zebra")
    assert (nothing.stdout, "no concept of" in nothing.stderr) == ("", True)


def test_convert(ontomask, taxonomy, tmp_path):
    ontomask("taxonomy", "convert", taxonomy, "injury.csv.gz", "--root", "injury", "--to", "arx")
    with gzip.open(tmp_path / "injury.csv.gz", "rt") as file:
        assert "broken arm;fracture;injury" in file.read()
    assert len(om.load_taxonomy(tmp_path / "injury.csv.gz", format="arx")) == 5
    again = ontomask("taxonomy", "convert", taxonomy, "injury.csv.gz", code=2)
    assert "already exists" in again.stderr
    told = ontomask("taxonomy", "convert", taxonomy, "injury.csv.gz", "--force", "--json").stdout
    assert json.loads(told)["concepts"] == 14
    tree = ontomask("taxonomy", "convert", taxonomy, "tree.csv", "--to", "arx", code=2)
    assert "several parents" in tree.stderr
    assert not (tmp_path / "tree.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["taxonomy", "info", "nowhere.obo"], "neither"),
        (["taxonomy", "info", "icd9"], "did you mean 'icd9cm'"),
        (
            ["taxonomy", "info", "tax.csv", "--format", "pdf"],
            "format must be a known format, got 'pdf'",
        ),
        (["taxonomy", "info", "tax.csv", "--option", "colour"], "NAME=VALUE"),
        (["taxonomy", "info", "tax.csv", "--option", "colour=red"], "no option 'colour'"),
        (["taxonomy", "convert", "tax.csv", "x.csv", "--root", "sprian"], "did you mean 'sprain'"),
        (["taxonomy", "convert", "tax.csv", "x.csv", "--to", "pdf"], "'child-parent' or 'arx'"),
        (["map", "nowhere.csv", "-t", "tax.csv"], "nowhere.csv does not exist"),
        (["map", "answers.csv", "-t", "tax.csv"], "the columns are 'id', 'reason'"),
        (
            ["map", "answers.csv", "-t", "tax.csv", "-c", "raison"],
            "--column must be a column of answers.csv, got 'raison'",
        ),
        (["map", "answers.csv", "-t", "tax.csv", "-c", "reason", "--stems", "elvish"], "elvish"),
        (["map", "answers.csv", "-t", "tax.csv", "-c", "reason", "--prefer", "x"], "'x' is not"),
        (["map", "answers.csv", "-t", "tax.csv", "-c", "reason", "--repair-codes"], "ICD"),
        (["map", "answers.csv", "-c", "reason"], "--taxonomy"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(
    ontomask, taxonomy, answers, arguments, message
):
    done = ontomask(*arguments, code=2)
    assert message in done.stderr
    assert done.stdout == ""


# ---------------------------------------------------------------- map


def test_map_reports_what_is_left_over(ontomask, answers, taxonomy):
    done = ontomask("map", answers, "-c", "reason", "-t", taxonomy, "--missing", "?")
    assert "reason: 6 records, 5 distinct values, 2 missing" in done.stdout
    assert "66.7 % of the records have a concept" in done.stdout
    assert "hepatits" in done.stdout
    assert "hepatitis ( < liver disease)" not in done.stdout
    assert "hepatitis (< liver disease)" in done.stdout
    assert "--write-corrections" in done.stderr


def test_map_as_json(ontomask, answers, taxonomy):
    told = json.loads(ontomask("map", answers, "-c", "reason", "-t", taxonomy, "--json").stdout)
    assert told["coverage"] == 4 / 7
    values = {value["value"]: value for value in told["values"]}
    assert values["Sprains "]["how"] == "code, plural"
    assert values["hepatits"]["suggestions"][0]["concept"] == "hepatitis"


def test_map_correct_and_map_again(ontomask, answers, taxonomy, tmp_path):
    ask = ["map", answers, "-c", "reason", "-t", taxonomy, "--missing", "?"]
    ontomask(*ask, "--require-all", "--write-corrections", "todo.csv", code=3)
    todo = tmp_path / "todo.csv"
    with todo.open(newline="") as file:
        rows = list(csv.reader(file))
    assert [row[0] for row in rows[1:]] == ["hepatits", "second sprain"]
    rows[1][1], rows[2][1] = "hepatitis", "sprain"
    with todo.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    done = ontomask(*ask, "--require-all", "--corrections", "todo.csv", "--output", "-")
    table = list(csv.DictReader(done.stdout.splitlines()))
    assert {row["value"]: row["concept"] for row in table}["hepatits"] == "hepatitis"
    assert {row["how"] for row in table} >= {"correction", "code"}
    heads = ontomask(*ask, "--heads", "--output", "mapped.csv")
    assert "head noun 'sprain'" in (tmp_path / "mapped.csv").read_text()
    assert "83.3 %" in heads.stdout


def test_suggestions_are_accepted_into_a_table_and_not_before(ontomask, taxonomy, tmp_path):
    typed = [f"hepatitis{'x' * n}" for n in range(1, 260)]
    (tmp_path / "typed.csv").write_text("\n".join(["reason", *typed, "brokn arm (left)"]) + "\n")
    ask = ["map", "typed.csv", "-c", "reason", "-t", taxonomy]
    told = json.loads(ontomask(*ask, "--accept", "0.5", "--json").stdout)
    assert told["coverage"] == 0
    assert told["accepted"]["hepatitisx"]["concept"] == "hepatitis"
    listed = ontomask(*ask, "--accept", "0.5", "--show", "1", "--write-corrections", "yes.csv")
    assert "accepted suggestions" in listed.stdout
    with (tmp_path / "yes.csv").open(newline="") as file:
        rows = {row["value"]: row["concept"] for row in csv.DictReader(file)}
    assert len(rows) == len(typed) + 1
    filled = {value: concept for value, concept in rows.items() if concept}
    assert filled == {value: hit["concept"] for value, hit in told["accepted"].items()}
    ontomask(*ask, "--accept", "0.5", "--write-corrections", "usagi.csv", "--usagi")
    for file in ("yes.csv", "usagi.csv"):
        again = json.loads(ontomask(*ask, "--corrections", file, "--json").stdout)
        assert again["how"]["correction"] == len(filled)
    ways = ("--leading-words", "--any-order", "--drop-parentheses", "--split", ";")
    found = ontomask(*ask, *ways, "--below", "injury", "--senses", "nearest", "--json")
    assert json.loads(found.stdout)["how"] == {"unmapped": len(rows)}


def test_map_a_list_and_other_shapes(ontomask, taxonomy, tmp_path):
    (tmp_path / "list.txt").write_text("sprain\nflu\n\nFlu\n")
    assert "100 %" in ontomask("map", "list.txt", "-t", taxonomy).stdout
    (tmp_path / "semi.csv").write_bytes("a;b\r\n1;grippe\r\n".encode("latin-1"))
    assert "100 %" in ontomask("map", "semi.csv", "-c", "b", "-t", taxonomy).stdout
    (tmp_path / "accent.csv").write_bytes("a,b\n1,Ménière\n".encode("latin-1"))
    wrong = ontomask("map", "accent.csv", "-c", "b", "-t", taxonomy, code=2)
    assert "not valid UTF-8" in wrong.stderr
    fine = ontomask("map", "accent.csv", "-c", "b", "-t", taxonomy, "--encoding", "latin-1")
    assert "Ménière" in fine.stdout
    (tmp_path / "ragged.csv").write_text("a,b\n1\n")
    ragged = ontomask("map", "ragged.csv", "-c", "b", "-t", taxonomy, code=2)
    assert "line 2: 1 cell where the header has 2" in ragged.stderr
    (tmp_path / "empty.csv").write_text("")
    ontomask("map", "empty.csv", "-c", "b", "-t", taxonomy, code=2)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv.gz"])
def test_map_reads_every_format_of_a_table(ontomask, taxonomy, tmp_path, suffix):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["flu", "sprain", "flu"]})
    path = tmp_path / f"stays.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    told = json.loads(ontomask("map", path, "-c", "b", "-t", taxonomy, "--json").stdout)
    assert [(row["value"], row["count"]) for row in told["values"]] == [("flu", 2), ("sprain", 1)]


def test_map_says_when_codes_look_damaged(ontomask, tmp_path):
    (tmp_path / "codes.csv").write_text("code,x\n8,1\n25083,1\n250,1\n")
    plain = ontomask("map", "codes.csv", "-c", "code", "-t", "icd9cm")
    assert "try --repair-codes" in plain.stderr
    mended = ontomask("map", "codes.csv", "-c", "code", "-t", "icd9cm", "--repair-codes")
    assert "100 % of the records" in mended.stdout


@pytest.mark.slow
def test_a_closed_pipe_is_no_error(tmp_path):
    command = f"{sys.executable} -m ontomask taxonomy search wordnet dog -n 3000 | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.stdout.count("\n") == 1


def test_inputs_are_never_written_over(ontomask, answers, taxonomy, tmp_path):
    before = answers.read_bytes()
    ask = ["map", answers, "-c", "reason", "-t", taxonomy, "--force"]
    for option in ("--write-corrections", "--output"):
        done = ontomask(*ask, option, "answers.csv", code=2)
        assert "the output must not be an input" in done.stderr
    done = ontomask(*ask, "--output", taxonomy, code=2)
    assert "the output must not be an input" in done.stderr
    done = ontomask("init", answers, "--output", "answers.csv", "--force", code=2)
    assert "the output must not be an input" in done.stderr
    done = ontomask("taxonomy", "convert", taxonomy, taxonomy, "--force", code=2)
    assert "the output must not be an input" in done.stderr
    os.link(answers, tmp_path / "link.csv")
    done = ontomask(*ask, "--output", "link.csv", code=2)
    assert "the output must not be an input, got link.csv" in done.stderr
    assert answers.read_bytes() == before
    both = ontomask(*ask, "--json", "--output", "-", code=2)
    assert "choose one of them" in both.stderr


def test_delimiters_are_checked(ontomask, taxonomy, tmp_path):
    (tmp_path / "tabs.txt").write_text("a\tb\n1\tsprain\n")
    fine = ontomask("map", "tabs.txt", "-c", "b", "-t", taxonomy, "--delimiter", "\\t")
    assert "100 %" in fine.stdout
    wrong = ontomask("map", "tabs.txt", "-c", "b", "-t", taxonomy, "--delimiter", "ab", code=2)
    assert "must be one ASCII character" in wrong.stderr
