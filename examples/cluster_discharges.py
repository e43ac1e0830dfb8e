"""A small clustering from the operators of the papers: compare, aggregate, sort.

It starts from records that are far apart, then gives every record to its nearest centroid and takes
new centroids, as k-means does for numbers. Words and numbers take part alike.
"""

import numpy as np
import pandas as pd

import ontomask as om

CLUSTERS, ROUNDS = 4, 10

table = pd.DataFrame(om.datasets.discharges(n=400))
icd9 = om.load_taxonomy("icd9cm")
schema = om.Schema([om.Nominal("diagnosis", icd9), om.Numeric("age")], other="drop")
records = om.Records(table, schema)

# The first centre is farthest from the centroid of all, each other one from the centres before.
centres: list = [records.sort_by_distance()[0]]
while len(centres) < CLUSTERS:
    apart = np.min([records.distances(centre) for centre in centres], axis=0)
    centres.append(int(apart.argmax()))

for _ in range(ROUNDS):
    nearest = np.argmin([records.distances(centre) for centre in centres], axis=0)
    centres = [records.centroid(np.flatnonzero(nearest == c)) for c in np.unique(nearest)]

apart = np.array([records.distances(centre) for centre in centres])
nearest = apart.argmin(axis=0)
for number, centre in enumerate(centres):
    diagnosis, age = centre.values["diagnosis"], centre.values["age"]
    size = int((nearest == number).sum())
    print(f"{size:4} records near {icd9.label(diagnosis)} ({diagnosis}), age {age}")
print(
    f"mean distance to the centroid {apart.min(axis=0).mean():.2f}, to that of all "
    f"{records.distances(records.centroid()).mean():.2f}"
)
