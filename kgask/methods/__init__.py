"""Other ways to retrieve: the papers' methods beside the planner's own, each giving evidence for the same readers."""
