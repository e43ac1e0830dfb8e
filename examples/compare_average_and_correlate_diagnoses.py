"""What meaning does for a table of words: map it, compare, average and correlate its values.

Run with ``make demo``.
"""

import ontomask as om

icd9 = om.load_taxonomy("icd9cm")
icd9_procedures = om.load_taxonomy("icd9cm-procedures")
print(icd9)
print(icd9_procedures)

# A small table, typed the way such tables are: lost points and zeros, a word among the codes.
table = om.datasets.patients()
diagnoses = om.map_terms(table["diagnosis"], icd9, repair_codes=True).require_all("diagnosis")
procedures = om.map_terms(table["procedure"], icd9_procedures, repair_codes=True).require_all()

print("\nTerms to concepts")
for match in diagnoses.matches:
    if match.how != "code":
        print(
            f"  {match.value!r:24} -> {match.concept:7} {icd9.label(match.concept)} ({match.how})"
        )

print("\nHow far apart")
for a, b in [("540.0", "540.9"), ("540.0", "574.20"), ("540.0", "813.42")]:
    print(f"  {om.distance(icd9, a, b):.2f}  {icd9.label(a)} - {icd9.label(b)}")
print(f"\n{icd9.explain('574.20', '562.11')}")

x = [diagnoses.concepts[value] for value in table["diagnosis"]]
y = [procedures.concepts[value] for value in table["procedure"]]
mean = om.semantic_mean(x, icd9.domain(x))
print(f"\nThe mean diagnosis of these {len(x)} patients: {mean} {icd9.label(mean)}")
outlying = x[om.marginality(x, icd9).argmax()]
print(f"Among the most outlying: {outlying} {icd9.label(outlying)}")
together = om.distance_correlation(x, icd9, y, icd9_procedures)
shuffled = [om.distance_correlation(x, icd9, y[i:] + y[:i], icd9_procedures) for i in range(1, 12)]
print(
    f"Diagnosis and procedure hang together: distance correlation {together:.2f}\n"
    f"  (by chance, in so small a table: {min(shuffled):.2f} to {max(shuffled):.2f})"
)
