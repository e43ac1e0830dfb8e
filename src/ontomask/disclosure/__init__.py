"""What a report shows of a release beyond its manifest: plain values, safe to publish.

Nothing here tells a number of records between 0 and the threshold, nor lets one follow by
subtraction; and no value, concept or level is named that fewer records carry. What these promises
do and do not cover is said in :mod:`ontomask.disclosure.folding`.
"""

from ontomask.disclosure.branches import loss_by_branch, masses
from ontomask.disclosure.spread import bins
from ontomask.disclosure.transitions import frequent

__all__ = ["bins", "frequent", "loss_by_branch", "masses"]
