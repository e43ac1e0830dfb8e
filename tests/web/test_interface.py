"""Requests that nobody would think of, made from the description of the interface itself.

Whatever is sent, the workbench answers as it says it does, and no answer is a mistake of ours.
"""

import pytest
from hypothesis import HealthCheck, given, settings

from ontomask.web.app import create_app, guard_app
from ontomask.web.session import Workbench
from workbench import PORT, SEED, write_discharges

schemathesis = pytest.importorskip("schemathesis")
pytest.importorskip("schemathesis.specs.openapi.checks")  # which makes them known
CHECKS = [
    schemathesis.checks.CHECKS.get_one(name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    )
]


@pytest.fixture(scope="module")
def interface(tmp_path_factory):
    """The workbench with a small table open, as its description says it can be asked."""
    folder = tmp_path_factory.mktemp("fuzzed")
    write_discharges(folder / "discharges.csv", 60)
    bench = Workbench(folder, seed=SEED, largest=10_000)
    bench.open("discharges.csv")
    guard = guard_app(create_app(bench), port=PORT)
    known = {"Cookie": guard.cookie, "Host": f"127.0.0.1:{PORT}"}
    yield schemathesis.openapi.from_asgi("/api/openapi.json", guard, headers=known), known
    bench.close()


@pytest.mark.slow
def test_no_request_is_too_much(interface):
    tried = 0
    description, known = interface
    for operation in description.get_all_operations():
        _try(operation.ok(), known)
        tried += 1
    assert tried > 20


def _try(operation, known):
    @given(case=operation.as_strategy())
    @settings(suppress_health_check=list(HealthCheck))
    def asked(case):
        case.call_and_validate(headers=known, checks=CHECKS)

    asked()
