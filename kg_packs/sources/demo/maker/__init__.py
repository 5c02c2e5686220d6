"""Select and merge the facts of the demo pack (run through ``make_sources.py``)."""
