"""What a report shows of a release in addition to its manifest: plain values, safe to publish.

These functions return no number of records between 0 and the threshold, and no numbers from which
such a number follows by subtraction. They return no value, concept or level that fewer records than
the threshold have. :mod:`ontomask.disclosure.folding` describes the limits of this protection.
"""

from ontomask.disclosure.branches import loss_by_branch, records_by_branch
from ontomask.disclosure.spread import histogram_bins
from ontomask.disclosure.transitions import most_frequent_changes

__all__ = ["histogram_bins", "most_frequent_changes", "loss_by_branch", "records_by_branch"]
