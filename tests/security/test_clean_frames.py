"""A released frame carries nothing of the original but its columns."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ontomask as om

AGES = [30, 31, 40, 41, 90, 91]
WARDS = ["a", "a", "b", "b", "secret", "secret"]
SCHEMA = om.Schema([om.Numeric("age")], keep=["ward"], missing="drop")


def mask(table):
    return om.mask(table, SCHEMA, om.Microaggregation(k=2)).data


def test_attributes_of_pandas_are_left_out():
    table = pd.DataFrame({"age": AGES, "ward": WARDS})
    table.attrs = {"source": AGES}
    assert mask(table).attrs == {}
    assert table.attrs == {"source": AGES}


def test_metadata_of_arrow_is_left_out():
    table = pa.Table.from_pandas(pd.DataFrame({"age": AGES, "ward": WARDS}, index=list("uvwxyz")))
    table = table.drop_columns(["__index_level_0__"])
    field = pa.field("ward", pa.string(), metadata={"names": "secret"})
    table = table.set_column(1, field, pa.chunked_array([WARDS])).replace_schema_metadata(
        {"original": str(AGES), **(table.schema.metadata or {})}
    )
    released = mask(table)
    assert not released.schema.metadata
    assert all(not field.metadata for field in released.schema)
    assert released["ward"].to_pylist() == WARDS


def tables_without_secret():
    """Tables whose last two records have no age, and are removed: ``secret`` is then unused."""
    ages = [*AGES[:4], None, None]
    plain = pd.DataFrame({"age": pd.array(ages, dtype="Int64"), "ward": WARDS})
    arrow = pa.table({"age": pa.array(ages), "ward": pa.array(WARDS).dictionary_encode()})
    return {
        "pandas": plain.astype({"ward": "category"}),
        "pandas on pyarrow": plain.astype(
            {"ward": pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))}
        ),
        "polars": pl.DataFrame(
            {"age": ages, "ward": WARDS}, schema_overrides={"ward": pl.Enum(["a", "b", "secret"])}
        ),
        "pyarrow": arrow,
        "pyarrow in chunks": pa.concat_tables([arrow[:3], arrow[3:]]),
    }


@pytest.mark.parametrize("kind", list(tables_without_secret()))
def test_categories_that_no_record_has_are_left_out(kind):
    released = mask(tables_without_secret()[kind])
    ward = released["ward"]
    if kind == "polars":
        assert ward.dtype == pl.Enum(["a", "b"])
    elif kind == "pandas":
        assert list(ward.cat.categories) == ["a", "b"]
    else:
        arrow = pa.chunked_array(ward.array.__arrow_array__()) if "pandas" in kind else ward
        for chunk in arrow.chunks:
            assert "secret" not in chunk.dictionary.to_pylist()
    values = ward.to_pylist() if kind.startswith("pyarrow") else list(ward)
    assert values == ["a", "a", "b", "b"]
    assert len(released) == 4


def test_a_plain_range_is_not_warned_of(recwarn):
    mask(pd.DataFrame({"age": AGES, "ward": WARDS}))
    assert not recwarn.list
