"""What judges a claim: a query, the evidence, both of them, or the user's language model."""

from __future__ import annotations

from typing import Literal, get_args

Engine = Literal["rigel", "reader", "both", "kg-gpt"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
OF_A_PACK = tuple(one for one in ENGINES if one != "kg-gpt")  # without a language model
