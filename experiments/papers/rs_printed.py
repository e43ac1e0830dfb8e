"""The published figures of RS section 4, for k = 2, 5, 10, 20, 50, 100."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.experiment import Cell

__all__ = ["DATASET_2", "TABLES_2_TO_4", "TABLE_1", "TABLE_5", "TABLE_6", "Figure"]

#: A figure and what it is of: ("RMSE", "first"), ("after", "first and second").
Figure = tuple[str, str]

#: RS tables 2, 3 and 4. The paper's first attribute is the principal diagnosis, its second the
#: medical procedure; its figures 5 to 7 draw the same, with two strategies that are not printed.
TABLES_2_TO_4: dict[Figure, dict[str, Sequence[Cell]]] = {
    ("RMSE", "first"): {
        "fixed": (0.4558, 0.5423, 0.5560, 0.5823, 0.6018, 0.6083),
        "dynamic": (0.1439, 0.1887, 0.2300, 0.2782, 0.3513, 0.4062),
        "multivariate": (0.1966, 0.2707, 0.3130, 0.3659, 0.4145, 0.4656),
    },
    ("RMSE", "second"): {
        "fixed": (0.3562, 0.3712, 0.4118, 0.4166, 0.4650, 0.5016),
        "dynamic": (0.0544, 0.0776, 0.1014, 0.1413, 0.2153, 0.2941),
        "multivariate": (0.0920, 0.1433, 0.1613, 0.2083, 0.2697, 0.3745),
    },
    ("after", "first and second"): {
        "fixed": (0.2705, 0.2689, 0.2649, 0.2647, 0.2628, 0.2520),
        "dynamic": (0.4191, 0.4092, 0.4039, 0.3648, 0.3235, 0.2800),
        "multivariate": (0.4567, 0.4410, 0.4363, 0.4160, 0.3826, 0.3145),
        "original": (0.4595,) * 6,
    },
    ("change", "first and second"): {
        "fixed": (0.1890, 0.1906, 0.1946, 0.1948, 0.1967, 0.2075),
        "dynamic": (0.0404, 0.0503, 0.0556, 0.0947, 0.1360, 0.1795),
        "multivariate": (0.0028, 0.0185, 0.0232, 0.0435, 0.0769, 0.1450),
    },
}

#: RS table 5: the multivariate strategy on two attributes.
TABLE_5: dict[Figure, Sequence[Cell]] = {
    ("RMSE", "first"): (0, 0.0129, 0.0336, 0.0749, 0.1965, 0.3750),
    ("RMSE", "second"): (0, 0.0288, 0.0810, 0.1486, 0.2300, 0.3218),
    ("before", "first and second"): (0.6392,) * 6,
    ("after", "first and second"): (0.6392, 0.6383, 0.6371, 0.6238, 0.5765, 0.4658),
    ("change", "first and second"): (0, 0.0009, 0.0021, 0.0154, 0.0627, 0.1734),
}

#: RS table 6: with the secondary diagnosis as a third.
TABLE_6: dict[Figure, Sequence[Cell]] = {
    ("RMSE", "first"): (0, 0.0106, 0.0322, 0.0866, 0.2412, 0.3951),
    ("RMSE", "second"): (0, 0.0309, 0.0890, 0.1653, 0.2409, 0.3640),
    ("RMSE", "third"): (0.0011, 0.0579, 0.1649, 0.2948, 0.4174, 0.5035),
    ("before", "first and second"): (0.6392,) * 6,
    ("after", "first and second"): (0.6392, 0.6373, 0.6319, 0.6185, 0.5276, 0.3753),
    ("change", "first and second"): (0, 0.0019, 0.0073, 0.0207, 0.1116, 0.2639),
    ("before", "first and third"): (0.4229,) * 6,
    ("after", "first and third"): (0.4229, 0.4220, 0.4191, 0.4031, 0.3090, 0.2291),
    ("change", "first and third"): (0, 0.0009, 0.0038, 0.0198, 0.1136, 0.1938),
    ("before", "second and third"): (0.3703,) * 6,
    ("after", "second and third"): (0.3703, 0.3644, 0.3577, 0.3432, 0.2828, 0.2118),
    ("change", "second and third"): (0, 0.0059, 0.0126, 0.0271, 0.0875, 0.1585),
}

#: RS table 1 and section 4.3: how many values, and the distance variance, of each attribute.
TABLE_1 = {"values": (783, 430), "variance": (0.1148, 0.1240)}
DATASET_2 = {"values": (55, 94)}
