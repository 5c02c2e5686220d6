"""Questions made from the relation labels of any pack, so that any pack can be measured.

Their texts are about as long as people's (with the demo pack 11 tokens on average, special ones included).
"""

from __future__ import annotations

import random

import numpy as np

from kgask.pack.labels import relation_phrase
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import MASK

OPENERS = ("what is the {}", "who is the {}", "name the {}", "which {}", "{}", "tell me the {}", "what was the {}")


def masked_questions(labels: list[str], n: int, rng_seed: int = 0) -> list[str]:
    """``n`` questions of one, two and three relations in turn, the topic masked."""
    rng = random.Random(rng_seed)
    names = [relation_phrase(label) for label in labels]
    chains = (" of the ".join(rng.choice(names) for _ in range(number % 3 + 1)) for number in range(n))
    return [rng.choice(OPENERS).format(f"{chain} of {MASK}") for chain in chains]


def pack_questions(pack: Pack, n: int, rng_seed: int = 0) -> list[str]:
    """``n`` questions about entities of the pack, one and two relations in turn, in the relations' own words.

    The first relation is one that the entity has, half the time; the rest ask for what may not be there.
    """
    rng = random.Random(rng_seed)
    words = [relation_phrase(label) for label in pack.relation_labels()]
    relations = np.asarray(pack.out_relation)
    asked = []
    for number in range(n):
        row = rng.randrange(pack.n_triples)
        subject = int(pack.triples([row])[0][0])
        first = words[int(relations[row])] if rng.random() < 0.5 else rng.choice(words)
        chain = first if number % 2 == 0 else f"{rng.choice(words)} of the {first}"
        name = pack.labels([subject])[0]
        asked.append(rng.choice(OPENERS).format(f"{chain} of {name}")[:1000])
    return asked
