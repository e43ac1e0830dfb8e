"""What a report may show of a column, by its plain rules: slow on purpose, no cleverness.

A plan is taken apart into moves: (value before, value after, records, distance), where "" is a
missing value and None a suppressed one. Nothing here uses the package beyond that and the parents
of a concept.
"""

from __future__ import annotations

import math

import plain


def moves(plan, j):
    """Every transition of one column."""
    attribute = plan.tuples.attributes[j]
    words = hasattr(attribute, "candidates")
    found = []
    for source, target, count in zip(plan.source, plan.target, plan.count, strict=True):
        code = int(plan.tuples.codes[j, source])
        if words:
            before = attribute.candidates[int(attribute.place[code])]
        else:
            before = float(attribute.numbers[code])
            before = "" if math.isinf(before) else before
        after = float(plan.targets[target, j])
        if math.isnan(after):
            after = None
        elif words:
            after = attribute.candidates[int(after)]
        elif math.isinf(after):
            after = "" if before == "" else None  # a number that is lost is a suppressed one
        found.append((before, after, int(count)))
    return found


def fine(number, least):
    return number == 0 or number >= least


def only_blanks(moved):
    return all(after is None for before, after, _ in moved if before != after)


# ---------------------------------------------------------------- trees


def tree_parent(tax, concept):
    """The deepest parent, then the first by identifier; None for the root."""
    return min(tax.parents(concept), key=lambda p: (-plain.depth(tax, p), p), default=None)


def tree_children(tax):
    children = {concept: [] for concept in tax}
    for concept in tax:
        if tree_parent(tax, concept) is not None:
            children[tree_parent(tax, concept)].append(concept)
    return children


def branch(children, concept):
    return {concept}.union(*(branch(children, child) for child in children[concept]))


class Tree:
    """One side of a column: which concepts are shown, with what number, and what stands aside."""

    def __init__(self, tax, pairs, aside, least):
        # pairs: (concept or what stands aside, records, blanked records)
        self.children = tree_children(tax)
        self.shown, self.aside = {}, dict.fromkeys(aside)
        at_root = [0, 0]
        own = {concept: [0, 0] for concept in tax}
        for mark in aside:
            sums = [sum(it[i] for it in pairs if it[0] == mark) for i in (1, 2)]
            if sums[0] >= least and fine(sums[1], least):
                self.aside[mark] = sums[0]
            else:
                at_root = [a + b for a, b in zip(at_root, sums, strict=True)]
        words = 0
        for concept, count, blanked in pairs:
            if concept not in aside:
                words += count
                own[concept][0] += count
                own[concept][1] += blanked
        own[tax.root] = [a + b for a, b in zip(own[tax.root], at_root, strict=True)]
        self.sums = {
            concept: [sum(own[c][i] for c in branch(self.children, concept)) for i in (0, 1)]
            for concept in tax
        }
        if self.sums[tax.root][0] == 0:
            return
        if words < least or not fine(self.sums[tax.root][1], least):
            self.aside = dict.fromkeys(aside)
            return
        self.show(tax.root, least)

    def show(self, concept, least):
        self.shown[concept] = self.sums[concept][0]
        told = [
            child
            for child in self.children[concept]
            if self.sums[child][0] >= least and fine(self.sums[child][1], least)
        ]
        for i in (0, 1):
            while not fine(self.sums[concept][i] - sum(self.sums[c][i] for c in told), least):
                mend = [child for child in told if self.sums[child][i] > 0]
                told.remove(min(mend, key=lambda c: self.sums[c][0]))
        for child in told:
            self.show(child, least)


def two_trees(plan, j, least):
    """A nominal column before and after."""
    tax = plan.tuples.attributes[j].domain
    moved = moves(plan, j)
    guarded = only_blanks(moved)
    before = [(a, n, n if guarded and b is None else 0) for a, b, n in moved]
    after = [(b, n, 0) for _, b, n in moved]
    return Tree(tax, before, [""], least), Tree(tax, after, ["", None], least)


def losses(plan, j, least, distances):
    """Each concept's share of the loss, where it may be told."""
    tax = plan.tuples.attributes[j].domain
    before, _ = two_trees(plan, j, least)
    lost, altered = dict.fromkeys(tax, 0.0), dict.fromkeys(tax, 0)
    for (a, b, n), distance in zip(moves(plan, j), distances, strict=True):
        lost[a or tax.root] += n * distance
        altered[a or tax.root] += n * (a != b)
    for sums in (lost, altered):
        whole = {c: sum(sums[d] for d in branch(before.children, c)) for c in tax}
        sums.update(whole)
    told = {}

    def tell(concept):
        told[concept] = lost[concept] / lost[tax.root] if lost[tax.root] else 0.0
        those = [
            child
            for child in before.children[concept]
            if child in before.shown and fine(altered[child], least)
        ]
        if fine(altered[concept] - sum(altered[child] for child in those), least):
            for child in those:
                tell(child)

    if tax.root in before.shown and fine(altered[tax.root], least):
        tell(tax.root)
    return told
