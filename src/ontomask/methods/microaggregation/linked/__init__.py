"""Microaggregation of linked people: a person is a bag of rows, such as all stays of a patient.

If the pseudonym of a person is released, an attacker can put the rows of a person together. Then k
people must share the whole bag of released rows. The centroid of a group of bags is a bag of
*slots*, as many as its smallest member has rows; the rows of each person are matched with them.
Rows without a slot are *surplus*: they are dropped, or released with a pseudonym of their own.
"""

from ontomask.methods.microaggregation.linked.people import LinkedPeople, link_people

__all__ = ["LinkedPeople", "link_people"]
