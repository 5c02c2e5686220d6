"""How a query with operators came to its answer, as a tree of lines: for a terminal, and for ``--explain``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MAX_ROWS = 12  # of the values that one operator compared


@dataclass(frozen=True, slots=True)
class Branch:
    """A line with those below it."""

    text: str
    below: tuple[Branch, ...] = ()

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Indented by two blanks a level."""
        yield "  " * depth + self.text
        for branch in self.below:
            yield from branch.lines(depth + 1)


def branch_of(step: Mapping[str, Any]) -> Branch:
    """One step of an answer's ``derivation`` (docs/json.md) with its values and the steps before it."""
    values, parts = step.get("values", ()), step.get("parts", ())
    rows = [Branch(f"{row['of']}: {row['value']}") for row in values[:MAX_ROWS]]
    n_more = step.get("known" if step["operator"] != "where" else "n", len(values)) - len(rows)
    if rows and n_more > 0:
        rows.append(Branch(f"… and {n_more:,} more"))
    return Branch(f"{step['words']}: {_came_to(step)}", (*rows, *map(branch_of, parts)))


def _came_to(step: Mapping[str, Any]) -> str:
    if "n" not in step:
        return str(step.get("value", step.get("truth", "unknown")))
    perhaps = f", perhaps {step['perhaps']:,} more" if "perhaps" in step else ""
    members = step.get("members", ())
    if "values" in step or not members:
        return f"{step['n']:,}{perhaps}"
    more = ", …" if step["n"] > len(members) else ""
    return f"{step['n']:,}{perhaps} ({', '.join(members)}{more})"
