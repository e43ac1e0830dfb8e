"""The wait for a large taxonomy the second time."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import ontomask as om
from benchmarks.load_formats import phenotypes


class CachedLoad:
    """How long does the second load of a large taxonomy take?

    ``rf2``: a made-up release of 380,000 concepts. ``obo``: the Human Phenotype Ontology. The time
    includes reading the source once to see that it has not changed.
    """

    param_names = ("source",)
    params = (["obo", "rf2"],)

    def setup(self, source: str) -> None:
        sys.path.append(str(Path(__file__).parent.parent / "tests"))
        import made_up_rf2  # type: ignore[import-not-found]

        self.folder = TemporaryDirectory()
        os.environ["ONTOMASK_CACHE"] = str(Path(self.folder.name) / "cache")
        self.path = phenotypes()
        if source == "rf2":
            self.path = Path(self.folder.name) / "release"
            made_up_rf2.write(self.path, 380_000, decoys=False)
        om.load_taxonomy(self.path)

    def time_second_load(self, source: str) -> None:
        om.load_taxonomy(self.path)

    peakmem_second_load = time_second_load
