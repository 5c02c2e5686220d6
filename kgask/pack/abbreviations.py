"""What owners of tables shorten, spelled out: "dob" is a date of birth, "obsvr" an observer.

No model has met most of these as words. Only what is hardly ever meant otherwise is here: "sp" may be a species or a
spouse, "cap" a capital or a capacity, and both stay as they stand.
"""

from __future__ import annotations

import re

_ANYWHERE = """
acct account; addr address; amt amount; approx approximate; appt appointment; apptd appointed; arr arrival; asst
assistant; avg average; bal balance; bday birthday; bdgt budget; bldg building; bplace birthplace; capt captain; cert
certificate; champ champion; chmn chairman; cnt count; cntry country; cttee committee; conc concentration; coord
coordinates; ctry country; curr current; cust customer; dau daughter; dept department; dest destination; diam
diameter; dob date of birth; dod date of death; dt date; dur duration; edu education; elev elevation; encl enclosure;
eqpt equipment; eta estimated time of arrival; etd estimated time of departure; fam family; freq frequency; govt
government; grp group; hosp hospital; hq headquarters; hrs hours; ht height; insp inspection; inspn inspection; lang
language; langs languages; len length; lic licence; loc location; locn location; lvl level; max maximum; mbr member;
mbrs members; mfg manufacturing; mfr manufacturer; mgr manager; mkr maker; mtg meeting; nbr number; neigh neighbour;
ot overtime; o/t overtime; nr number; num number; obs observation; obsvr observer; org organisation; orgs
organisations; orig origin; pcs pieces; pct percent; pob place of birth; pod place of death; pop population; popn
population; pos position; pkg package; pp pages; prev previous; prio priority; pts points; prov province; purch
purchase; pwr power; qtr quarter; qty quantity; recd received; renov renovation; reqd required; resp responsible; rrp
recommended retail price; sched scheduled; secy secretary; ser serial; sib sibling; sibs siblings; spec specification;
stk stock; stn station; subj subject; supv supervisor; supvr supervisor; svc service; svcs services; tel telephone;
temp temperature; tot total; treas treasurer; univ university; vel velocity; ver version; vol volume; wk week; wks
weeks; wt weight; yob year of birth; yod year of death; yr year; yrs years
"""
_WHOLE = """
bpl birthplace; dpl place of death; est established; fa father; hab habitat; mo mother; occ occupation;
occup occupation; hubby husband; kg weight in kg; sal salary; nat nationality; ts timestamp
"""
_DOTTED = {"b.": "born", "d.": "died", "bur.": "buried"}  # as in pedigrees; a letter without the dot is none of them
# With the dot only, among other words too: a cat is none.
_DOTTED_TOKENS = {"cat.": "category", "ord.": "order", "alt.": "altitude", "pref.": "preferred", "stud.": "student",
                  "desc.": "description", "mob.": "mobile"}  # fmt: skip
_DOTTED_TOKENS |= {"att.": "attendance", "del.": "delivered", "inv.": "invoice", "conc.": "concentration"}
_DISSOLVED = re.compile(r"(?P<what>[\w .-]+?) ?\((?:mg|µg|ug|μg)/l[^)]*\)", re.IGNORECASE)  # in water
_IN_WATER = {"do": "dissolved oxygen", "tp": "total phosphorus", "tn": "total nitrogen", "no3 n": "nitrate nitrogen",
             "nh4 n": "ammonium nitrogen", "po4 p": "phosphate phosphorus", "chl a": "chlorophyll a",
             "chla": "chlorophyll a", "bod": "biochemical oxygen demand", "cod": "chemical oxygen demand",
             "tss": "total suspended solids", "doc": "dissolved organic carbon", "no3": "nitrate",
             "nh4": "ammonium", "po4": "phosphate"}  # fmt: skip
_ESTIMATED = re.compile(
    r"est\.?(?= ?\((?:h|hrs?|d|days?|min|pts|€|£|[$]|eur)\))|est\.?(?= (?:hours|hrs|time|cost|days)\b)", re.I
)
_NUMBER = "no"  # behind what it counts: "contextNo", never alone


def _pairs(said: str) -> dict[str, str]:
    return dict(one.split(maxsplit=1) for one in " ".join(said.split()).split("; "))


_TOKENS, _LABELS = _pairs(_ANYWHERE), _pairs(_WHOLE)


def spelled_out(words: str) -> str:
    """A label's words with what is shortened in them written out, whatever its case.

    >>> spelled_out("dob"), spelled_out("obs date"), spelled_out("context no"), spelled_out("author"), spelled_out("No")
    ('date of birth', 'observation date', 'context number', 'author', 'No')
    >>> spelled_out("d."), spelled_out("d"), spelled_out("cat."), spelled_out("cat")
    ('died', 'd', 'category', 'cat')
    >>> spelled_out("do (mg/l)"), spelled_out("NO3-N (mg/L)"), spelled_out("est. (h)"), spelled_out("est.")
    ('dissolved oxygen (mg/l)', 'nitrate nitrogen (mg/L)', 'estimated (h)', 'established')
    """
    if (said := _DOTTED.get(words.lower())) is not None:
        return said
    if (dissolved := _DISSOLVED.fullmatch(words)) and (said := _IN_WATER.get(_of_water(dissolved["what"]))):
        return f"{said}{words[dissolved.end('what') :]}"
    words = _ESTIMATED.sub("estimated", words)
    tokens = words.split()
    if len(tokens) == 1 and (whole := _LABELS.get(_plain(words))) is not None:
        return whole
    found = [_DOTTED_TOKENS.get(token.lower()) or _TOKENS.get(_plain(token), token) for token in tokens]
    if len(found) > 1 and _plain(found[-1]) == _NUMBER:
        found[-1] = "number"
    return words if found == tokens else " ".join(found)


def _of_water(words: str) -> str:
    return words.lower().replace("-", " ").replace(".", "").strip()


def _plain(token: str) -> str:
    return token.lower().removesuffix(".")
