"""A small plan, for the examples of this package."""

from __future__ import annotations

import numpy as np

from ontomask.datasets import diagnoses
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Transitions, count_tuples

__all__ = ["six_patients"]


def six_patients() -> Transitions:
    """Two with hepatitis, two with influenza, two injured, and what groups of two make of them.

    >>> plan = six_patients()
    >>> diagnosis, _ = plan.tuples.attributes
    >>> [(diagnosis.candidates[int(place)], age) for place, age in plan.targets.tolist()]
    [('hepatitis', 35.0), ('influenza', 50.0), ('injury', 25.0)]
    """
    sick = ["broken arm", "hepatitis B", "hepatitis C", "influenza", "sprain"]
    diagnosis = NominalAttribute("diagnosis", diagnoses(), sick)
    age = NumericalAttribute("age", np.array([20.0, 30.0, 40.0, 50.0]))
    codes = [np.array([1, 2, 3, 3, 4, 0]), np.array([1, 2, 3, 3, 1, 0])]
    tuples, _ = count_tuples([diagnosis, age], codes)
    places = [diagnosis.places[concept] for concept in ("hepatitis", "influenza", "injury")]
    targets = np.column_stack([np.array(places, dtype=float), [35.0, 50.0, 25.0]])
    return Transitions.from_targets(tuples, targets, np.array([2, 0, 0, 1, 2]))
