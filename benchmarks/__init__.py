"""Benchmarks: one question a file, in the style of asv.

``python -m benchmarks`` runs them all, ``python -m benchmarks NAME`` those whose file name
contains NAME, ``--json FILE`` also keeps the results. Real data are read from the folder named in
``ONTOMASK_DATA``, nltk's WordNet from ``WNSEARCHDIR``; what is not there is skipped.

The docstring of a class is its question. ``setup`` is never measured, and it compiles what the
work needs by doing a little of it; ``time_*`` is timed, ``peakmem_*`` is watched for its memory,
``track_*`` returns a number of its own; ``cost_*`` is timed and watched in one run, for work that
is long. ``budgets`` of a class, by parameters, are printed beside the time, ``memory_budgets``
(bytes) and ``figure_budgets`` beside the rest; ``timeout`` is how long it may take, in seconds.
Files that begin with ``_`` are the machinery.
"""
