"""Classifications and terminologies of health care: ClaML, ICD-10-CM, OMOP, UMLS, FHIR."""
