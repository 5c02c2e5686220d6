"""Hop plan to evidence: follow and trace over the CSR."""
