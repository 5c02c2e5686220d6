"""How deeply a JSON document is nested, told while it is read: with each level its reader copies all contexts."""

from __future__ import annotations

import re
from typing import BinaryIO

MOST_DEPTH = 100
_SIGN = re.compile(rb'\\.?|["\[\]{}]', re.DOTALL)
_DEEPER, _BACK = (b"[", b"{"), (b"]", b"}")


class JsonGuard:
    """A stream of bytes that hands on what it reads; ``read`` raises SyntaxError where it is nested too deeply."""

    def __init__(self, stream: BinaryIO, source: str) -> None:
        self._stream, self._source = stream, source
        self._depth, self._in_text, self._is_escaped, self._line = 0, False, False, 1

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        for found in _SIGN.finditer(data, 1 if self._is_escaped else 0):
            sign = found[0]
            if sign == b'"':
                self._in_text = not self._in_text
            elif not self._in_text and sign in _DEEPER:
                self._depth += 1
                if self._depth > MOST_DEPTH:
                    line = self._line + data.count(b"\n", 0, found.start())
                    raise SyntaxError(f"nested more than {MOST_DEPTH} deep", (self._source, line, None, None))
            elif not self._in_text and sign in _BACK:
                self._depth -= 1
            self._is_escaped = sign == b"\\"
        self._line += data.count(b"\n")
        return data
