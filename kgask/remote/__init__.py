"""A graph elsewhere: a SPARQL 1.1 endpoint as a pack. The only room that asks a network, and only the host named."""
