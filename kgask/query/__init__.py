"""What a plan says: an expression over a knowledge graph, with a text form, a checker, SPARQL and words."""
