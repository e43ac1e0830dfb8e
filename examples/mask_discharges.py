"""A table of hospital discharges, masked by meaning: five people at least in every class.

Run with ``make demo``, after the first steps.
"""

import pyarrow as pa

import ontomask as om

icd9, procedures = om.load_taxonomy("icd9cm"), om.load_taxonomy("icd9cm-procedures")
discharges = pa.table(om.datasets.discharges(3000))
schema = om.Schema(
    quasi_identifiers=[
        om.Nominal("diagnosis", icd9),
        om.Nominal("procedure", procedures),
        om.Numeric("age"),
    ],
    identifiers=["name"],
    confidential=["outcome", "charge"],
    keep=["length_of_stay"],
    other="drop",
    person="patient",  # some have several discharges: classes hold five people, not records
)
release = om.mask(discharges, schema, om.Microaggregation(k=5))

print("\nA synthetic table of discharges, before and after (age, diagnosis, procedure)")
for place in (0, 1, 2, 5, 8):
    for table in (discharges, release.data):
        row = {name: table[name][place].as_py() for name in ("age", "diagnosis", "procedure")}
        words = icd9.label(row["diagnosis"])
        print(f"  {row['age']:3}  {row['diagnosis']:7} {row['procedure']:6} {words[:70]}")
    print()
print(release)
print(f"Guaranteed: {release.guarantee}.")
print(f"Released columns: {', '.join(release.data.column_names)}")
blanked = om.mask(discharges, schema, om.Suppression(k=5)).suppressed
print(f"Suppression, to the same k, would have blanked {blanked:,} of {len(discharges):,} records.")
