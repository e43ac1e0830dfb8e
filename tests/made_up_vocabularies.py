"""Small made-up vocabularies: no line of them is anybody's content."""

from __future__ import annotations

#: A classification in ClaML, with every way in which a modifier applies.
CLAML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ClaML SYSTEM "ClaML.dtd">
<ClaML version="2.0.0">
  <Meta name="lang" value="en"/>
  <Title name="WOUNDS-3" date="2026-01-01" version="2026">Wounds of gardeners</Title>
  <Modifier code="S01_4"><SubClass code=".0"/><SubClass code=".1"/></Modifier>
  <Modifier code="S02_5"><SubClass code="0"/><SubClass code="1"/></Modifier>
  <ModifierClass code=".0" modifier="S01_4">
    <SuperClass code="S01_4"/>
    <Rubric kind="preferred"><Label xml:lang="en">of the hand</Label></Rubric>
    <Rubric kind="inclusion"><Label xml:lang="en">Finger</Label></Rubric>
  </ModifierClass>
  <ModifierClass code=".1" modifier="S01_4">
    <SuperClass code="S01_4"/>
    <Rubric kind="preferred"><Label xml:lang="en">of the foot</Label></Rubric>
  </ModifierClass>
  <ModifierClass code="0" modifier="S02_5">
    <SuperClass code="S02_5"/>
    <Rubric kind="preferred"><Label xml:lang="en">clean</Label></Rubric>
  </ModifierClass>
  <ModifierClass code="1" modifier="S02_5">
    <Meta name="excludeOnPrecedingModifier" value="S01_4 .1"/>
    <SuperClass code="S02_5"/>
    <Rubric kind="preferred"><Label xml:lang="en">infected</Label></Rubric>
  </ModifierClass>
  <Class code="XX" kind="chapter">
    <SubClass code="W10-W14"/><SubClass code="W90-W99"/>
    <Rubric kind="preferred"><Label xml:lang="en">Wounds</Label></Rubric>
  </Class>
  <Class code="W10-W14" kind="block">
    <SuperClass code="XX"/>
    <ModifiedBy code="S02_5"/>
    <Rubric kind="preferred"><Label xml:lang="en">Wounds by tools</Label></Rubric>
  </Class>
  <Class code="W10" kind="category">
    <SuperClass code="W10-W14"/>
    <ModifiedBy code="S01_4" all="true"/>
    <Rubric kind="preferredLong"><Label xml:lang="en">Wound by a pair of shears</Label></Rubric>
    <Rubric kind="preferred">
      <Label xml:lang="de">Scherenwunde</Label>
      <Label xml:lang="en">Wound by <Term class="i">she</Term>ars<Reference>W12</Reference></Label>
    </Rubric>
    <Rubric kind="inclusion">
      <Label xml:lang="en"><Fragment type="list">Cut:</Fragment>
        <Fragment type="list">by pruning shears</Fragment></Label>
    </Rubric>
    <Rubric kind="exclusion"><Label xml:lang="en">Bite</Label></Rubric>
  </Class>
  <Class code="W11" kind="category">
    <SuperClass code="W10-W14"/>
    <ModifiedBy code="S01_4" all="false"><ValidModifierClass code=".1"/></ModifiedBy>
    <ExcludeModifier code="S02_5"/>
    <Rubric kind="preferred"><Label xml:lang="en">Wound by a spade</Label></Rubric>
  </Class>
  <Class code="W12" kind="category">
    <SuperClass code="W10-W14"/><SubClass code="W12.3"/>
    <Rubric kind="preferred"><Label xml:lang="en">Wound by a rake</Label></Rubric>
  </Class>
  <Class code="W12.3" kind="category">
    <Rubric kind="preferred"><Label xml:lang="en">Wound by a leaf rake</Label></Rubric>
  </Class>
  <Class code="W13" kind="category">
    <SuperClass code="W10-W14"/>
    <Rubric kind="preferred"><Label xml:lang="en">Wound by a hoe</Label></Rubric>
  </Class>
</ClaML>
"""

#: An OMOP vocabulary of eight concepts, as a dump of a database with commas.
CONCEPT = """\
concept_id,concept_name,domain_id,vocabulary_id,concept_class_id,standard_concept,concept_code,\
valid_start_date,valid_end_date,invalid_reason
1,Ailment,Condition,GARDEN,x,S,A,1970-01-01,2099-12-31,
2,"Wilt, \"\"slow\"\"\",Condition,GARDEN,x,S,B,1970-01-01,2099-12-31,
3,Seen wilt,Observation,GARDEN,x,S,C,1970-01-01,2099-12-31,
4,Root wilt,Condition,GARDEN,x,S,D,1970-01-01,2099-12-31,
5,Old wilt,Condition,GARDEN,x,,E,1970-01-01,2020-12-31,U
6,WILT,Condition,WEEDS,x,,B,1970-01-01,2099-12-31,
7,WILT OR RUST,Condition,WEEDS,x,,W2,1970-01-01,2099-12-31,
8,Rust,Condition,GARDEN,x,C,7,1970-01-01,2099-12-31,
"""
RELATIONSHIP = """\
concept_id_1,concept_id_2,relationship_id,valid_start_date,valid_end_date,invalid_reason
2,1,Is a,1970-01-01,2099-12-31,
1,2,Subsumes,1970-01-01,2099-12-31,
4,3,Is a,1970-01-01,2099-12-31,
3,2,Is a,1970-01-01,2099-12-31,
4,1,Is a,1970-01-01,2020-12-31,D
8,1,Is a,1970-01-01,2099-12-31,
8,99,Is a,1970-01-01,2099-12-31,
5,2,Maps to,1970-01-01,2099-12-31,
6,2,Maps to,1970-01-01,2099-12-31,
7,2,Maps to,1970-01-01,2099-12-31,
7,8,Maps to,1970-01-01,2099-12-31,
2,2,Maps to,1970-01-01,2099-12-31,
98,8,Maps to,1970-01-01,2099-12-31,
"""
SYNONYM = """\
concept_id,concept_synonym_name,language_concept_id
2,slow wilting,4180186
6,weed wilt,4180186
"""
VOCABULARY = "vocabulary_id,vocabulary_name,vocabulary_version\nNone,All,v5.0 01-JAN-26\n"
TABLES = {
    "CONCEPT.csv": CONCEPT,
    "CONCEPT_RELATIONSHIP.csv": RELATIONSHIP,
    "CONCEPT_SYNONYM.csv": SYNONYM,
    "VOCABULARY.csv": VOCABULARY,
    "CONCEPT_ANCESTOR.csv": (
        "ancestor_concept_id,descendant_concept_id,min_levels_of_separation,max_levels\n"
    ),
    "PERSON.csv": "person_id\n1\n",
}
