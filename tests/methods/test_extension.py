"""A package that adds a method, a distance, a reader and a measure: everything knows them.

The modules are those of docs/how-to/add-a-method.md, in a folder with the metadata that an
installer writes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pandas as pd
import pytest
import yaml
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app
from ontomask.distances import MEASURES
from ontomask.errors import ExtensionError, ExtensionWarning, ParameterError, SpecError
from ontomask.methods.registry import METHODS
from ontomask.microdata.measures import ADDED_MEASURES
from ontomask.releasefile.model import json_schema, load_release_file
from ontomask.taxonomy.readers import FORMATS
from ontomask.web.routes import method as method_route

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "add-a-method.md"
REGISTRIES = (METHODS, MEASURES, FORMATS, ADDED_MEASURES)

AGES = [*range(20, 96)] * 2
JOBS = [("nurse", "doctor", "clerk")[number % 3] for number in range(len(AGES))]
TREE = "#indented\njob\n  care\n    nurse\n    doctor\n  office\n    clerk\n"
SPEC = """\
data: people.csv
output: released.csv
columns:
  age: {role: quasi, type: numeric}
  job: {role: quasi, taxonomy: jobs.txt, measure: depth_gap}
method: {name: top_coding, column: age, threshold: 70}
report_threshold: 2
"""


def modules_on_the_page():
    """The modules of the page, by file name."""
    blocks = re.findall(
        r"^```python\n# (\S+\.py)\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S
    )
    return dict(blocks)


def entry_points_on_the_page():
    """The entry points of the page, as an installer writes them."""
    blocks = re.findall(r'entry-points\."([\w.]+)"\]\n(\w+) = "([^"]+)"', PAGE.read_text("utf-8"))
    return "".join(f"[{group}]\n{name} = {value}\n" for group, name, value in blocks)


def install(folder, modules, entry_points, name="my_methods"):
    """Write a package and its metadata into a folder."""
    for file, text in modules.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")


def forget_extensions():
    for registry in REGISTRIES:
        registry.forget_added()
    method_route._cached_methods.cache_clear()


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder that packages are installed into, for this process and those it starts."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    yield folder
    for module in [name for name in sys.modules if name.split(".")[0] == "my_methods"]:
        del sys.modules[module]
    monkeypatch.undo()
    forget_extensions()


@pytest.fixture
def installed(site):
    """The package of the page."""
    install(site, modules_on_the_page(), entry_points_on_the_page())
    forget_extensions()


@pytest.fixture
def table(installed, tmp_path, monkeypatch):
    """A table, its taxonomy and a release file that use all that the package adds."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"age": AGES, "job": JOBS}).to_csv("people.csv", index=False)
    Path("jobs.txt").write_text(TREE, encoding="utf-8")
    Path("release.yaml").write_text(SPEC, encoding="utf-8")
    return tmp_path


def command(*arguments):
    done = CliRunner().invoke(app, [*map(str, arguments)], env={"ONTOMASK_SEED": str(2**70)})
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def test_the_page_shows_one_module_of_each_kind():
    assert len(modules_on_the_page()) == 4
    groups = re.findall(r"\[(\S+)\]", entry_points_on_the_page())
    assert groups == [registry.group for registry in REGISTRIES]


# ---------------------------------------------------------------------- the method


def test_a_release_file_masks_with_it_and_its_report_says_how(table):
    release = om.run_release_file("release.yaml", seed=2**70)
    released = pd.read_csv("released.csv")["age"].tolist()
    assert sorted(released) == sorted(min(age, 70) for age in AGES)
    assert "no value of age is above 70" in release.guarantee
    facts = json.loads(Path("released.manifest.json").read_text("utf-8"))
    assert facts["method"]["title"] == "top coding, threshold = 70"
    assert facts["method"]["settings"] == {"column": "age", "threshold": 70}
    report = Path("released.report.html").read_text("utf-8")
    assert "Values of age above 70 became 70." in report
    assert "No value of age is above 70." in report
    assert "Largest change of a value" in report


def test_the_command_masks_in_a_process_of_its_own(table):
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", "mask", "release.yaml"],
        capture_output=True,
        text=True,
        env={**os.environ, "ONTOMASK_SEED": str(2**70)},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert pd.read_csv("released.csv")["age"].max() == 70


def test_compare_varies_it_by_its_threshold(table):
    rows = json.loads(command("compare", "release.yaml", "--methods", "top_coding", "--json"))
    points = rows["points"]
    assert [point["settings"]["threshold"] for point in points] == [60, 70, 80]
    assert not any(point["error"] for point in points)
    assert [point["k"] for point in points] == [None, None, None]
    assert points[0]["largest_move"] > points[2]["largest_move"]
    shown = command("compare", "release.yaml", "--methods", "top_coding:threshold=50,recoding:k=2")
    assert "top_coding:column=age:threshold=50" in shown
    assert "threshold" not in command("compare", "release.yaml", "--methods", "recoding:k=2")


def test_the_help_of_compare_lists_it(installed):
    assert "Values above a threshold become the threshold." in command("compare", "--help")


def test_without_names_methods_that_need_settings_are_compared_in_their_own_file_only(table):
    def compared(text):
        Path("other.yaml").write_text(text, encoding="utf-8")
        points = json.loads(command("compare", "other.yaml", "--k", "2", "--json"))["points"]
        return {point["method"] for point in points}

    for_all_tables = {name for name in METHODS if METHODS[name].compared_by_default}
    assert compared(SPEC) == for_all_tables
    recoding = SPEC.replace("top_coding, column: age, threshold: 70", "recoding, k: 2")
    assert compared(recoding) == for_all_tables - {"top_coding"}


def test_release_files_of_points_can_be_run(table):
    command("compare", "release.yaml", "--methods", "top_coding", "--release-files", "points")
    names = sorted(path.name for path in Path("points").iterdir())
    assert names == [f"top_coding-column-age-threshold{value}.yaml" for value in (60, 70, 80)]
    spec = load_release_file(Path("points") / names[0])
    assert spec.method_object() == METHODS["top_coding"](column="age", threshold=60)


def test_explain_says_what_the_method_says(table):
    text = command("explain", "release.yaml", "age=95")
    assert "Its age is above the threshold of 70." in text
    assert "values of age above 70 become 70" in text
    assert "draws by chance" not in text


def test_the_json_schema_has_its_settings(table):
    schema = json_schema()
    jsonschema.validate(yaml.safe_load(SPEC), schema)
    wrong = yaml.safe_load(SPEC.replace("threshold: 70", "threshold: high"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("threshold: 70", "threshold: high", "method.threshold must be a number, got 'high'"),
        (", threshold: 70", "", "method.threshold is missing"),
        ("threshold: 70", "threshold: 70, limit: 3", "method has no setting 'limit'"),
        ("top_coding", "top_codin", "did you mean 'top_coding'?"),
        ("depth_gap", "depth_gab", "did you mean 'depth_gap'?"),
    ],
)
def test_a_release_file_is_checked_by_its_types(table, old, new, message):
    Path("release.yaml").write_text(SPEC.replace(old, new), encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        load_release_file("release.yaml")
    assert message in f"{caught.value.message}; {caught.value.hint}"


def test_the_workbench_lists_it_with_its_settings(installed):
    shown = {method.name: method for method in method_route.list_methods().methods}["top_coding"]
    assert (shown.title, shown.promises_k, shown.varied_by) == ("Top coding", False, "threshold")
    column, threshold = shown.settings
    assert (column.kind, column.required, column.title) == ("text", True, "Column")
    assert (threshold.kind, threshold.usual) == ("number", (60, 70, 80))


# ---------------------------------------------------------------------- the others


def test_a_distance_has_a_name_everywhere(installed):
    jobs = om.Taxonomy.from_edges([("care", "job"), ("nurse", "care"), ("clerk", "job")])
    assert om.distance(jobs, "nurse", "care", "depth_gap") == 1 / 3
    assert om.distance_matrix(jobs, ["nurse", "clerk"], "depth_gap")[0, 1] == 1
    assert "depth_gap" in jobs.explain("nurse", "clerk", "depth_gap").text
    assert om.Nominal("job", jobs, measure="depth_gap").measure == "depth_gap"


def test_a_reader_is_found_by_the_content_and_by_its_name(table):
    for taxonomy in (om.load_taxonomy("jobs.txt"), om.load_taxonomy("jobs.txt", format="indented")):
        assert taxonomy.ancestors("nurse") == {"nurse", "care", "job"}
    with pytest.raises(ParameterError, match="the format 'indented' has no option 'depth'"):
        om.load_taxonomy("jobs.txt", format="indented", depth=3)


def test_a_measure_is_part_of_every_evaluation(table):
    with Path("release.yaml").open("a", encoding="utf-8") as file:
        file.write("order: keep\n")
    release = om.run_release_file("release.yaml", seed=2**70)
    assert release.evaluation.utility["largest_move"] == {"age": (95 - 70) / (95 - 20), "job": 0}
    assert om.utility.DESCRIPTIONS["largest_move"].better == "lower"
    assert list(om.utility.DESCRIPTIONS)[-1] == "largest_move"
    assert "largest_move" not in om.risk.DESCRIPTIONS
    assert "age [largest_move]" in command(
        "evaluate", "people.csv", "released.csv", "--release-file", "release.yaml"
    )


# ---------------------------------------------------------------------- packages that are wrong


def test_a_package_that_cannot_be_imported_is_left_out_and_named(site):
    install(site, {}, "[ontomask.methods]\nbroken = my_methods.nowhere:Broken\n")
    forget_extensions()
    assert "broken" in METHODS
    with pytest.warns(ExtensionWarning, match="'broken' of the package 'my_methods' is ignored"):
        assert "broken" not in METHODS.available()
    with pytest.raises(ExtensionError, match="cannot be loaded from my_methods.nowhere:Broken"):
        METHODS["broken"]


@pytest.mark.parametrize(
    ("registry", "value", "message"),
    [
        (METHODS, "json:dumps", "must be a subclass of ontomask.methods.Method"),
        (METHODS, "ontomask.methods.suppression:Suppression", "registered as 'thing'"),
        (MEASURES, "ontomask.distances:__all__", "must be a function or a DistanceMeasure"),
        (FORMATS, "json", "must be a module with a function read"),
        (ADDED_MEASURES, "json:dumps", "must be a FigureMeasure"),
    ],
)
def test_a_part_of_the_wrong_kind_is_refused(site, registry, value, message):
    install(site, {}, f"[{registry.group}]\nthing = {value}\n")
    forget_extensions()
    with pytest.raises(ExtensionError, match=message):
        registry["thing"]


def test_nobody_takes_the_place_of_our_own(site):
    install(site, {}, "[ontomask.methods]\nrecoding = json:dumps\n")
    forget_extensions()
    assert METHODS["recoding"] is om.Recoding
    assert list(METHODS) == list(METHODS.own_names)


def test_of_two_packages_with_one_name_the_second_is_left_out(site):
    install(site, {}, "[ontomask.methods]\nthing = one:One\n")
    install(site, {}, "[ontomask.methods]\nthing = two:Two\n", name="others")
    forget_extensions()
    with pytest.warns(ExtensionWarning, match="'thing' of the package 'others' is ignored"):
        assert list(METHODS).count("thing") == 1
