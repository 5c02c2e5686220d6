"""Texts that questions are made of: files of this package whose lines are a kind and a text, "#" begins a remark."""

from __future__ import annotations

from importlib import resources


def forms_of(name: str) -> dict[str, list[str]]:
    """Kind -> its texts, in the order of the file."""
    found: dict[str, list[str]] = {}
    for line in (resources.files("kgask.eval") / name).read_text(encoding="utf-8").splitlines():
        kind, _, text = line.strip().partition(" ")
        if kind and kind != "#":
            found.setdefault(kind, []).append(text)
    return found
