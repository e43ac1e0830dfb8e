"""Files that are almost right, for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st


def mutated(content: bytes, *pieces: bytes) -> st.SearchStrategy[bytes]:
    """The content with a piece cut out or replaced; as it is; or anything at all."""
    new = st.one_of(st.binary(max_size=6), st.sampled_from([b"\n", b"\t", b" ", b"0", *pieces]))
    changed = st.builds(
        lambda at, length, piece: content[:at] + piece + content[at + length :],
        st.integers(0, len(content)),
        st.integers(0, 20),
        new,
    )
    return st.one_of(changed, changed, st.just(content), st.binary(max_size=100))
