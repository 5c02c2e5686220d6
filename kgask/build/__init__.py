"""Sources to pack: parsers at the edge, one writer."""
