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
    if match.how != "identifier":
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
outlying = max(zip(om.marginality(x, icd9), x, strict=True))[1]
print(f"The most outlying: {outlying} {icd9.label(outlying)}")
correlation = om.distance_correlation(x, icd9, y, icd9_procedures)
print(f"Diagnosis and procedure hang together: distance correlation {correlation:.2f} of 1")
print("\nNext: README.md. Masking itself is not in this version yet; CHANGELOG.md says what is.")
