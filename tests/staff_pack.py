"""A small pack that holds something of everything; ``tests/data/format_1.kgpack`` is what kgask before 0.3 made of it.

Of a checkout of commit efd97c8: ``add_to(builder)``, ``builder.write(...)``; then ``kgask pack export`` of today's.
"""

from __future__ import annotations

from pathlib import Path

from kgask.build.writer import PackBuilder
from kgask.pack.literals import parse_literal

FORMAT_1 = Path(__file__).parent / "data" / "format_1.kgpack"
N_STAFF = 90


def add_to(builder: PackBuilder) -> None:
    """People with labels, aliases and descriptions (some), numbers, dates, texts, statements and a passage."""
    for number in range(N_STAFF):
        key = f"http://e.org/staff/Q{number}"
        builder.add(key, "P31", "http://e.org/Person")
        builder.add(key, "boss", f"http://e.org/staff/Q{number // 3}")
        builder.add(key, "age", parse_literal("number", str(20 + number % 40)))
        builder.add(key, "height", parse_literal("number", f"1.{60 + number % 30}", "m"))
        builder.add(key, "started", parse_literal("date", f"{1990 + number % 30}-0{1 + number % 9}-11"))
        builder.label(
            key, f"{('Ann', 'Bob', 'Zoé', 'Ирина')[number % 4]} {('Reed', 'Stone', 'Müller')[number % 3]} {number}"
        )
        if number % 3 == 0:
            builder.alias(key, f"worker number {number}")
            builder.alias(key, "the one with the hat")
        if number % 7 == 0:
            builder.description(key, f"employee of the year {1990 + number}")
    year = parse_literal("date", "1903")
    builder.add("http://e.org/staff/Q1", "works in", "Sales", [("since", year), ("as", "clerk")])
    builder.add("http://e.org/staff/Q1", "works in", "Sales", [("since", parse_literal("date", "44 BCE"))])
    builder.add("http://e.org/staff/Q2", "motto", parse_literal("string", "!!!"))
    builder.add("Sales", "part of", "a plain name")
    builder.relation("P31", "instance of", ["type"], "what it is", "instances")
    builder.passage(["Sales", "http://e.org/staff/Q1"], "Sales sells what the others make.")
