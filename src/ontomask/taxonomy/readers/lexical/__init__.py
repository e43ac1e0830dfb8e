"""WordNets of all languages."""
