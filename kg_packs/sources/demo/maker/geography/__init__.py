"""World geography (Mondial, CC BY 3.0): countries in numbers, provinces, cities, waters, land forms, organisations."""
