"""Long-tail levels. LTGen (section 3.1, table 2) names four by monthly page views: I is the most viewed."""

from __future__ import annotations

import math

LEVELS = ("head", "I", "II", "III", "IV", "below IV")  # most popular first; head has more views than LTGen samples


def band_of_views(views: float) -> str:
    """The level of a monthly number of page views: I from 10^4 to 10^5, IV from 10 to 100.

    >>> band_of_views(250_000), band_of_views(10_000), band_of_views(99), band_of_views(3)
    ('head', 'I', 'IV', 'below IV')
    """
    if not math.isfinite(views) or views < 0:
        raise ValueError(f"{views} is no number of views")
    power = sum(views >= limit for limit in (10, 100, 1_000, 10_000, 100_000))
    return LEVELS[5 - power]
