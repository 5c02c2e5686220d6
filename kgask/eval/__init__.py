"""`kgask eval`: question sets over packs, one file of predictions, and figures that anyone can rerun."""
