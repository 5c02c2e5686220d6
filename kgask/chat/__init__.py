"""Conversations: a follow-up is a question whose holes the earlier turns fill."""
