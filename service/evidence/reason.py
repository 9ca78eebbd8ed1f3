"""Why something was ordered, as it stands in the chain for ever."""

from __future__ import annotations

from service.evidence.errors import EvidenceError


def reason(given: str) -> str:
    """A reason as it is kept: one line, of signs that can be read.

    >>> reason(" appeal,  see\\n file 7 ")
    'appeal, see file 7'

    Raises:
        EvidenceError: it says nothing, or holds signs that cannot be printed.
    """
    line = " ".join(given.split())
    if not line or not line.isprintable():
        what = "signs that cannot be printed are in this reason" if line else "a reason is needed"
        raise EvidenceError(what, do="Say in a line why; it stays in the chain for ever")
    return line
