"""The package as a stranger gets it: light to import, complete as a wheel, tools that work."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import ontomask as om
from ontomask.errors import InternalError, OntomaskError

ROOT = Path(__file__).parents[1]


def run(*command, **options):
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=True, **options
    ).stdout


def test_import_pulls_in_nothing_heavy():
    loaded = run("-c", "import ontomask, sys, json; print(json.dumps(sorted(sys.modules)))")
    heavy = {"numba", "scipy", "rapidfuzz", "pandas", "polars", "pyarrow"}
    assert not heavy & set(json.loads(loaded))


def test_a_pair_needs_no_compiling():
    code = (
        "import sys, ontomask as om; tax = om.datasets.diagnoses();"
        "om.distance(tax, 'sprain', 'injury'); tax.lcs('sprain', 'injury');"
        "tax.explain('sprain', 'injury'); om.map_terms(['Sprain'], tax);"
        "print('numba' in sys.modules)"
    )
    assert run("-c", code).strip() == "False"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run("-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT))
    return next(folder.glob("ontomask-*.whl"))


def test_the_wheel_has_its_tables_and_licences(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    bundled = "ontomask/taxonomy/bundled/"
    for file in ("icd9cm.tsv.gz", "icd9cm-procedures.tsv.gz", "wordnet.tsv.gz"):
        assert bundled + file in names
    assert bundled + "WORDNET_LICENSE.txt" in names
    licences = [name for name in names if "dist-info/licenses/" in name]
    assert {Path(name).name for name in licences} >= {"LICENSE", "NOTICE", "WORDNET_LICENSE.txt"}
    assert "ontomask/py.typed" in names
    assert not [name for name in names if "tests" in name or name.endswith((".nbi", ".nbc"))]


def test_the_wheel_works_away_from_the_source(wheel, tmp_path):
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    code = (
        "import ontomask as om; print(om.__file__);"
        "print([len(om.load_taxonomy(n)) for n in ('icd9cm', 'icd9cm-procedures', 'wordnet')]);"
        "print(om.distance_matrix(om.datasets.diagnoses(), ['sprain', 'injury'])[0, 0])"
    )
    out = run("-c", code, cwd=tmp_path, env={"PYTHONPATH": str(site), "HOME": str(tmp_path)})
    file, sizes, zero = out.splitlines()
    assert Path(file).is_relative_to(site)
    assert sizes == "[17727, 4670, 82115]"
    assert zero == "0.0"


def test_compiled_loops_work_where_nothing_can_be_written(wheel, tmp_path):
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    # No folder for compiled code, neither beside the source nor at home.
    code = (
        "import numba.core.caching as c\n"
        "for locator in c._CacheLocator.__subclasses__():\n"
        "    locator.from_function = classmethod(lambda *a: None)\n"
        "import ontomask as om\n"
        "print(om.distance_matrix(om.datasets.diagnoses(), ['sprain', 'injury'])[0, 0])"
    )
    assert run("-c", code, cwd=tmp_path, env={"PYTHONPATH": str(site)}).strip() == "0.0"


@pytest.mark.slow
def test_the_demo_runs():
    out = run(str(ROOT / "examples" / "compare_average_and_correlate_diagnoses.py"))
    assert "008.45" in out
    assert "The mean diagnosis of these 12 patients: 540 Acute appendicitis" in out
    assert "distance correlation 0.94\n  (by chance" in out


@pytest.mark.slow
def test_a_clustering_from_operators():
    out = run(str(ROOT / "examples" / "cluster_discharges.py"))
    assert "mean distance to the centroid 0.42, to that of all 0.55" in out


def test_every_public_name_is_there_and_explains_itself():
    for name in om.__all__:
        assert getattr(om, name).__doc__ or isinstance(getattr(om, name), str)


def test_errors_say_what_and_how_to_mend_it():
    error = OntomaskError("what is wrong", "what to do")
    assert str(error) == "what is wrong\n\nhint: what to do"
    assert (error.message, error.hint) == ("what is wrong", "what to do")
    assert "bug in ontomask" in str(InternalError("a loop ran away"))


def test_errors_cross_process_borders():
    import pickle

    error = pickle.loads(pickle.dumps(om.errors.CycleError("a is a a", "remove it")))  # noqa: S301
    assert str(error) == "a is a a\n\nhint: remove it"


def test_names_are_found_when_they_are_used():
    for name in om.__all__:
        assert getattr(om, name) is not None
    assert om.distances.sanchez.__name__ == "sanchez"
    assert set(dir(om)) == set(om.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = om.nonsense
    with pytest.raises(ImportError):
        from ontomask import nothing_of_the_kind  # noqa: F401


def test_the_types_and_the_list_of_public_names_agree():
    source = (ROOT / "src" / "ontomask" / "__init__.py").read_text()
    typed = source.split("if _TYPE_CHECKING:")[1].split("__all__")[0]
    assert all(re.search(rf"\b{name}\b", typed) for name in om.__all__ if name != "__version__")
