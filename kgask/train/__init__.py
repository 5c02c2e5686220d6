"""Training and export; the only room that imports torch."""
