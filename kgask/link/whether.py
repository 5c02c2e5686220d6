"""Whether there are any, and if so which: asked as which there are, for none is told as well.

A matter of form; nothing here knows a pack.
"""

from __future__ import annotations

import re

_BE = r"(?:is|are|was|were)"
_IF_SO = (
    r"\s*[,;.?!]*\s*(?:and )?(?:(?:if (?:so|yes|any|there (?:is|are))|in that case),? )?"
    r"(?:which|what|who|whom)(?: (?:one|ones|are they|is it|were they|was it))?\s*\?*\s*\Z"
)
_ANY = r"(?:any|some|an?|one|also|other|perhaps|even|at least one)"
_FORMS = tuple(
    (re.compile(pattern + _IF_SO, re.IGNORECASE | re.DOTALL), form)
    for pattern, form in (
        # "is there anything written in Rust, and if so what?"
        (rf"{_BE} there (?:any|some)(?:thing|body|one) (?P<rest>\S.*?)", "What {be} {rest}?"),
        # "are there any islands in Japan? Which ones?"
        (rf"(?P<be>{_BE}) there (?:{_ANY} )*(?P<kind>\S.*?)", "Which {kind}?"),
        # "are any volcanic islands part of Japan, and which?"
        (rf"{_BE} any (?P<kind>\S.*?)", "Which {kind}?"),
        # "did anything get built by Ann, and if so what?"
        (r"did (?:any|some)(?:thing|body|one) get (?P<rest>\S.*?)", "What was {rest}?"),
        # "do we have anyone in Lisbon? names please"
        (r"(?:do|have) we (?:have |got )?(?:any|some)(?:one|body) (?P<rest>\S.*?)", "Who is {rest}?"),
        (r"(?:do|have) we (?:have |got )?(?:any|some)thing (?P<rest>\S.*?)", "What is {rest}?"),
        # "do any of the dogs bark, and which ones?"
        (r"(?:do|does|did|has|have|had|can) any (?:of )?(?P<kind>\S.*?)", "Which {kind}?"),
    )
)
_ANY_KIND = re.compile(r"any (?P<kind>(?!idea\b|chance\b|other\b|more\b|one\b|of\b|news\b)[a-z]+s \S[^?]*)\?", re.I)


def which_of(text: str) -> str:
    """The question which, of one whether and which; any other as it is.

    >>> which_of("Are there any volcanic islands in Japan, and if so which ones?")
    'Which volcanic islands in Japan?'
    >>> which_of("Is there anything done in Rust, and if so what?"), which_of("Did anything get lent by Ann? What?")
    ('What is done in Rust?', 'What was lent by Ann?')
    >>> which_of("Any animals lighter than 5 kg?"), which_of("Do we have anyone in Lisbon? Which ones?")
    ('Which animals lighter than 5 kg?', 'Who is in Lisbon?')
    >>> which_of("Are there any lakes in Peru?"), which_of("Is it there, and who is it?")
    ('Are there any lakes in Peru?', 'Is it there, and who is it?')
    """
    if found := _ANY_KIND.fullmatch(text.strip()):
        return f"Which {found['kind']}?"
    for pattern, form in _FORMS:
        if found := pattern.fullmatch(text.strip()):
            said = found.groupdict()
            be = "is" if said.get("be") is None else said["be"].lower()
            return form.format(**(said | {"be": be}))
    return text
