"""Every risk measure by its plain definition over records: slow on purpose, no cleverness.

``records`` are pairs of an original and a masked tuple, None standing for a suppressed value and
MISSING for a missing number.
``attributes`` say how values compare; of them only the taxonomy, the range and the weight are used.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import permutations

import numpy as np
import scipy  # its parts take a second to load, each when it is first used

import plain

MISSING = "missing"

# ---------------------------------------------------------------- records and their distances


def records(plan):
    """Pairs of original and masked values, one per record."""
    pairs = []
    for source, target, count in zip(plan.source, plan.target, plan.count, strict=True):
        original, masked = [], []
        for j, a in enumerate(plan.tuples.attributes):
            code, goal = plan.tuples.codes[j, source], plan.targets[target, j]
            if hasattr(a, "domain"):
                original.append(a.values[code])
                masked.append(None if math.isnan(goal) else a.candidates[int(goal)])
            else:
                original.append(known_number(a.numbers[code]))
                masked.append(None if math.isnan(goal) else known_number(goal))
        pairs += [(tuple(original), tuple(masked))] * int(count)
    return pairs


def known_number(number):
    return MISSING if math.isinf(number) else float(number)


def value_distance(a, x, y):
    if MISSING in (x, y):
        return x != y
    if hasattr(a, "domain"):
        return plain.sanchez(a.domain, x, y)
    return abs(x - y) / a.range if a.range else 0


def distance(attributes, x, y):
    """From an original to a masked tuple: weighted and summed, in whole multiples of 2^-28.

    That is what ties are by definition.
    """
    heaviest = max(a.weight for a in attributes) or 1
    total = 0
    for a, one, other in zip(attributes, x, y, strict=True):
        share = a.weight / heaviest
        if other is None:
            continue  # suppressed: it says nothing
        if hasattr(a, "domain"):
            total += round(round(value_distance(a, one, other) * 2**28) * share)
        else:
            total += round(value_distance(a, one, other) * (share * 2**28))
    return total


# ---------------------------------------------------------------- classes


def sizes(tuples):
    """How many records are like each record: missing and suppressed are both an empty cell."""
    counts = Counter(map(written, tuples))
    return [counts[written(t)] for t in tuples]


def written(values):
    """A tuple as it is written, None for an empty cell."""
    return tuple(None if value == MISSING else value for value in values)


def k(tuples):
    return min(sizes(tuples))


def uniques(tuples):
    return sum(size == 1 for size in sizes(tuples))


def prosecutor(tuples):
    return max(1 / size for size in sizes(tuples))


def at_risk(tuples, threshold):
    return sum(1 / size > threshold for size in sizes(tuples)) / len(tuples)


def marketer(tuples):
    return sum(1 / size for size in sizes(tuples)) / len(tuples)


def journalist(tuples, population):
    own = sizes(tuples)
    return max(1 / max(population.get(written(t), 0), n) for t, n in zip(tuples, own, strict=True))


# ---------------------------------------------------------------- linked people


def bag_distance(attributes, bag, released, distance=distance):
    """Rows matched at the least cost; what is left over costs 1 each, and so does a blank row."""
    heaviest = max(a.weight for a in attributes) or 1
    whole = max(round(sum(a.weight / heaviest * 2**28 for a in attributes)), 1)

    def row_distance(row, shown):
        if all(value is None for value in shown):
            return whole
        return distance(attributes, row, shown)

    few, many = sorted([bag, released], key=len)
    costs = []
    for chosen in permutations(many, len(few)):
        pairs = zip(few, chosen, strict=True) if few is bag else zip(chosen, few, strict=True)
        costs.append(sum(row_distance(row, shown) for row, shown in pairs))
    return min(costs) + whole * (len(many) - len(few))


def people_probabilities(attributes, bags, released, owner, distance=distance):
    """Of each person: the share of the nearest pseudonyms that are the person's own."""
    found = []
    for person, bag in bags.items():
        apart = {
            name: bag_distance(attributes, bag, rows, distance) for name, rows in released.items()
        }
        nearest = [name for name in apart if apart[name] == min(apart.values())]
        own = [name for name in nearest if owner[name] == person]
        found.append(len(own) / len(nearest) if nearest else 0.0)
    return found


def people_per_class(released, owner):
    """How many people share the rows of a pseudonym, by these rows as they are written."""
    classes = defaultdict(set)
    for name, rows in released.items():
        classes[frozenset(Counter(map(written, rows)).items())].add(owner[name])
    return sorted(map(len, classes.values()))


# ---------------------------------------------------------------- linkage


def text_probabilities(pairs):
    originals = [original for original, _ in pairs]
    found = []
    for original, masked in pairs:
        matching = [o for o in originals if o == masked]
        found.append(1 / len(matching) if original in matching else 0)
    return found


def nearest_probabilities(attributes, pairs):
    originals = [original for original, _ in pairs]
    found = []
    for original, masked in pairs:
        if set(masked) == {None}:
            found.append(0)
            continue
        apart = [distance(attributes, o, masked) for o in originals]
        near = [o for o, d in zip(originals, apart, strict=True) if d == min(apart)]
        found.append(1 / len(near) if original in near else 0)
    return found


def mean(numbers):
    return sum(numbers) / len(numbers) if numbers else None


def without(pairs, columns):
    return [(tuple(o[j] for j in columns), tuple(m[j] for j in columns)) for o, m in pairs]


# ---------------------------------------------------------------- intervals


def numbers_around(pairs, around):
    """The number in the middle of each window and the other one; None where there is none."""
    known = list(map(written, pairs))
    return [(m, o) for o, m in known] if around == "masked" else known


def rank_interval(pairs, window, around):
    """Pairs of numbers; what is suppressed or missing is near nothing."""
    pairs = numbers_around(pairs, around)
    ranked = sorted(c for c, _ in pairs if c is not None)
    ranks = math.floor(window * len(ranked))
    near = 0
    for centre, other in pairs:
        if centre is None or other is None:
            continue
        places = [place for place, number in enumerate(ranked) if number == centre]
        low = ranked[max(places[0] - ranks, 0)]
        high = ranked[min(places[-1] + ranks, len(ranked) - 1)]
        near += low <= other <= high
    return near / len(pairs)


def sd_interval(pairs, window, around):
    pairs = numbers_around(pairs, around)
    centres = [c for c, _ in pairs if c is not None]
    sd = np.std(centres, ddof=1) if len(centres) > 1 else 0
    near = sum(abs(c - o) <= window * sd for c, o in pairs if c is not None and o is not None)
    return near / len(pairs)


# ---------------------------------------------------------------- confidential attributes


def form(value):
    """What a value is counted as: a number, or text without case, spaces and Unicode forms."""
    text = unicodedata.normalize("NFKC", str(value)).casefold()
    text = re.sub(r"\s+", " ", text).strip()
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return Fraction(number) if number.is_finite() else text


def known_form(value, marks=()):
    """The same, None for an empty cell, a blank one and a mark of a missing value."""
    if value is None or value != value or form(value) in {"", *map(form, marks)}:
        return None
    return form(value)


def by_class(rows):
    """Rows of (class, value), one per record: the known values of each class; None is missing."""
    groups = defaultdict(list)
    for group, value in rows:
        groups[group] += [] if value is None else [value]
    return list(groups.values())


def classes_of_linked_records(rows):
    """Rows of (class, person), one per record: the sets of people with the same records.

    None is nobody known; such a record stands for itself.
    """
    records = defaultdict(list)
    for place, (group, person) in enumerate(rows):
        records[("nobody", place) if person is None else ("known", person)].append(group)
    classes = defaultdict(set)
    for (kind, person), groups in records.items():
        classes[tuple(sorted(groups, key=repr))] |= {person} if kind == "known" else set()
    return list(classes.values())


def distinct_diversity(rows):
    return min(len(set(group)) for group in by_class(rows))


def homogeneous(rows):
    """Which records, by place, are in a class with exactly one known value."""
    known = defaultdict(set)
    for group, value in rows:
        known[group] |= {value} - {None}
    return [place for place, (group, _) in enumerate(rows) if len(known[group]) == 1]


def entropy_diversity(rows):
    def effective_number(group):
        shares = [n / len(group) for n in Counter(group).values()]
        return math.exp(-sum(p * math.log(p) for p in shares)) if group else 0

    return min(effective_number(group) for group in by_class(rows))


def is_recursively_diverse(group, c, l):  # noqa: E741
    r = sorted(Counter(group).values(), reverse=True)
    return bool(r) and r[0] < c * sum(r[l - 1 :])


def recursive_diversity(rows, c):
    best = 0
    for l in range(1, len(rows) + 1):  # noqa: E741
        if all(is_recursively_diverse(group, c, l) for group in by_class(rows)):
            best = l
    return best


def shares(values):
    return {value: n / len(values) for value, n in Counter(values).items()}


def likeness(rows):
    """By figure, over every class and every value: α, basic and enhanced β, δ, and δ as printed.

    Infinite where nothing is known of a class; δ as printed also where a class lacks a value.
    """
    whole = shares([value for _, value in rows if value is not None])
    groups = [shares(group) for group in by_class(rows)]
    if not all(groups):
        return {"alpha": 1} | dict.fromkeys(("beta", "enhanced", "delta", "printed"), math.inf)
    cells = [(q.get(s, 0), p) for q in groups for s, p in whole.items()]
    beta = max((q - p) / p for q, p in cells)
    return {
        "alpha": max(q for q, _ in cells),
        "beta": beta,
        "enhanced": beta
        if all((q - p) / p <= -math.log(p) + 1e-12 for q, p in cells)
        else math.inf,
        "delta": max(abs(math.log(q / p)) for q, p in cells if q),
        "printed": max(abs(math.log(q / p)) if q else math.inf for q, p in cells),
    }


def transport(p, q, ground):
    """The earth mover's distance between two distributions: the linear program as it is defined."""
    m = len(p)
    leaves = np.kron(np.eye(m), np.ones(m))
    arrives = np.kron(np.ones(m), np.eye(m))
    both = np.vstack([leaves, arrives])
    solved = scipy.optimize.linprog(np.asarray(ground).ravel(), A_eq=both, b_eq=[*p, *q])
    assert solved.success
    return solved.fun


def closeness(rows, apart):
    """The largest transport from a class to the whole; ``apart`` is between any two values.

    A class without a known value is as far from the whole as can be.
    """
    every = [value for _, value in rows if value is not None]
    if not all(by_class(rows)):
        return 1
    values = sorted(set(every))
    ground = [[apart(a, b) for b in values] for a in values]
    whole = [every.count(v) / len(every) for v in values]
    return max(
        transport([group.count(v) / len(group) for v in values], whole, ground)
        for group in by_class(rows)
    )
