"""Countries by the names and codes that people write."""

from __future__ import annotations

import re

_TABLE = """
AE: United Arab Emirates, UAE, ARE
AR: Argentina, ARG
AT: Austria, AUT
AU: Australia, AUS
BE: Belgium, BEL
BG: Bulgaria, BGR
BR: Brazil, BRA
CA: Canada, CAN
CH: Switzerland, CHE
CL: Chile, CHL
CN: China, CHN
CO: Colombia, COL
CZ: Czech Republic, Czechia, CZE
DE: Germany, DEU
DK: Denmark, DNK
EE: Estonia
EG: Egypt, EGY
ES: Spain, ESP
FI: Finland, FIN
FR: France, FRA
GB: United Kingdom, UK, U.K., Great Britain, GBR
GR: Greece, GRC
HK: Hong Kong, HKG
HR: Croatia, HRV
HU: Hungary, HUN
ID: Indonesia, IDN
IE: Ireland, IRL
IL: Israel, ISR
IN: India, IND
IS: Iceland, ISL
IT: Italy, ITA
JP: Japan, JPN
KE: Kenya, KEN
KR: South Korea, Republic of Korea, KOR
LT: Lithuania, LTU
LU: Luxembourg, LUX
LV: Latvia, LVA
MX: Mexico, MEX
MY: Malaysia, MYS
NG: Nigeria, NGA
NL: Netherlands, The Netherlands, Holland, NLD
NO: Norway, NOR
NZ: New Zealand, NZL
PE: Peru, PER
PH: Philippines, The Philippines, PHL
PL: Poland, POL
PT: Portugal, PRT
RO: Romania, ROU
RS: Serbia, SRB
SA: Saudi Arabia, SAU
SE: Sweden, SWE
SG: Singapore, SGP
SI: Slovenia, SVN
SK: Slovakia, SVK
TH: Thailand, THA
TR: Turkey, Türkiye, TUR
TW: Taiwan, TWN
UA: Ukraine, UKR
US: United States, United States of America, USA, U.S., U.S.A., America, USA
VN: Vietnam, VNM
ZA: South Africa, ZAF
"""

NAMES: dict[str, tuple[str, ...]] = {}
"""ISO 3166 alpha-2 to names and codes, the usual English name first."""
for _line in _TABLE.strip().splitlines():
    _code, _, _names = _line.partition(": ")
    NAMES[_code] = tuple(dict.fromkeys(_names.split(", ")))

_WORDS_TOO = frozenset({"AT", "AR", "BE", "CO", "ID", "IN", "IS", "IT", "NO", "PH", "TH", "US"})
"""Codes that are also words or common short forms; in prose only their names count."""
_CAPITALS = {
    **{code: code for code in NAMES if code not in _WORDS_TOO - {"US"}},
    **{name: code for code, names in NAMES.items() for name in names if name.isupper()},
}
_BY_FOLDED = {name.casefold(): code for code, names in NAMES.items() for name in names}
_SPELT = {name: code for name, code in _BY_FOLDED.items() if len(name) > 3 and "." not in name}
_IN_TEXT = re.compile(
    r"(?<![\w-])(?:(?P<spelt>(?i:" + "|".join(sorted(_SPELT, key=len, reverse=True)) + r"))"
    r"|(?P<capital>"
    + "|".join(map(re.escape, sorted(_CAPITALS, key=len, reverse=True)))
    + r"))"
    r"(?![\w$-])"
)


def to_code(value: str) -> str:
    """Read a country's name or code as its alpha-2 code; others stay themselves, folded."""
    folded = " ".join(value.split()).casefold()
    if folded.upper() in NAMES:
        return folded.upper()
    return _BY_FOLDED.get(folded, folded)


def countries_in(text: str) -> list[tuple[int, str]]:
    """Find the countries named in a text, with their places."""
    return [
        (m.start(), _SPELT[m["spelt"].casefold()] if m["spelt"] else _CAPITALS[m["capital"]])
        for m in _IN_TEXT.finditer(text)
    ]
