"""The wait for the largest taxonomy that people use."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ontomask.taxonomy.readers.clinical import rf2
from ontomask.taxonomy.readers.text.source import Source


class LoadRelease:
    """How long does it take to read a release of the size of SNOMED CT?

    Made up: for 380,000 active concepts there are 1.2 million descriptions, 1.5 million
    relationships (600,000 of them active is-a links) and 1.8 million preferences. Read as it is,
    past the cache.
    """

    param_names = ("concepts",)
    params = ([38_000, 380_000],)

    def setup(self, concepts: int) -> None:
        sys.path.append(str(Path(__file__).parent.parent / "tests"))  # which use a small one
        import made_up_rf2  # type: ignore[import-not-found]

        self.folder = TemporaryDirectory()
        made_up_rf2.write(Path(self.folder.name), concepts, decoys=False)

    def time_load(self, concepts: int) -> None:
        rf2.read(Source(Path(self.folder.name)))

    def peakmem_load(self, concepts: int) -> None:
        rf2.read(Source(Path(self.folder.name)))
