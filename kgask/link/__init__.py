"""Mentions in the question to seed entities."""
