"""Claims: whether a sentence is supported or refuted by a graph, or whether the graph does not know."""
