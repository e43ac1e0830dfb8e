"""Readers of ontologies and thesauri: OBO, OBO graphs, and what is written in RDF or OWL."""
