"""What a report shows of a release beyond its manifest: plain values, safe to publish.

Nothing here tells a number of records between 0 and the threshold, nor lets one follow by
subtraction; and no value, concept or level is named that fewer records carry. What these promises
do and do not cover is said in :mod:`ontomask.disclosure.folding`.
"""

from ontomask.disclosure.branches import loss_by_branch, records_by_branch
from ontomask.disclosure.spread import histogram_bins
from ontomask.disclosure.transitions import most_frequent_changes

__all__ = ["histogram_bins", "most_frequent_changes", "loss_by_branch", "records_by_branch"]
