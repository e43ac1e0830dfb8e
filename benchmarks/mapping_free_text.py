"""Free text onto WordNet."""

from __future__ import annotations

import random

import ontomask as om


class MappingFreeText:
    """How long does it take to map 100,000 different answers onto WordNet?

    Made of its labels: a third as they are, a fifth in capitals, a third in the plural, the rest
    with a letter lost. ``suggestions``: the ten best concepts of the 200 most frequent answers
    that were not found. The first mapping makes the indexes of names and stems.
    """

    def setup(self) -> None:
        self.taxonomy = om.load_taxonomy("wordnet")
        draw = random.Random(1)
        labels = [name for names in self.taxonomy.label_lists for name in names]
        answers: set[str] = set()
        while len(answers) < 100_000:
            answers.add(_answer(draw.choice(labels), draw))
        self.answers = sorted(answers)
        self.found = om.map_terms(self.answers, self.taxonomy)

    def time_mapping(self) -> None:
        om.map_terms(self.answers, self.taxonomy)

    def time_first_mapping(self) -> None:
        del self.taxonomy.__dict__["names"]
        om.map_terms(self.answers, self.taxonomy)

    def time_suggestions(self) -> None:
        self.found.suggestions()

    peakmem_first_mapping = time_first_mapping


def _answer(label: str, draw: random.Random) -> str:
    kind = draw.random()
    if kind < 1 / 3:
        return label
    if kind < 8 / 15:
        return label.upper()
    if kind < 13 / 15:
        return label + "s"
    lost = draw.randrange(len(label))
    return label[:lost] + label[lost + 1 :]
