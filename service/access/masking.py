"""Secrets taken out of what people and files get to see: passwords in addresses, keys and tokens."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

MASK = "***"
_CREDENTIALS = re.compile(r"(?P<scheme>\b[A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#'\"<>]*@")
_NAMED = re.compile(
    r"(?P<name>(?:\b(?:pass(?:word|wd)?|pwd|(?:\w+_)?token|ticket|(?:\w+_)?secret|api[_-]?key)(?:['\"])?\s*[=:]\s*(?:['\"])?"
    r"|[?&](?:code|state|sig|signature)=))[^\s&'\",;}\])]{3,}",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?P<name>\b(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE)
_OWN = re.compile(r"\b(?P<prefix>pw(?:k|s|t)_[A-Za-z0-9]{0,8})[A-Za-z0-9_-]{12,}")
"""Keys, session tokens and tickets of this service carry these beginnings so that they are found wherever they stand."""


def masked_address(address: str) -> str:
    """An address without the user name and password in it; anything else as it is.

    >>> masked_address("rtsp://admin:s3cret@10.0.0.5:554/stream1")
    'rtsp://***@10.0.0.5:554/stream1'
    >>> masked_address("clips/night.mp4")
    'clips/night.mp4'
    """
    return _CREDENTIALS.sub(lambda found: f"{found['scheme']}{MASK}@", address)


def masked(text: str) -> str:
    """A text with passwords in addresses, named secrets, and keys and tokens of this service taken out.

    >>> masked("GET http://u:p@cam/live?token=abc123&width=3")
    'GET http://***@cam/live?token=***&width=3'
    >>> masked("Authorization: Bearer abcdefghij")
    'Authorization: Bearer ***'
    """
    text = masked_address(text)
    text = _BEARER.sub(lambda found: found["name"] + MASK, text)
    text = _OWN.sub(lambda found: found["prefix"] + MASK, text)
    return _NAMED.sub(lambda found: found["name"] + MASK, text)


def masked_values(value: Any) -> Any:
    """The same of everything textual in JSON values."""
    if isinstance(value, str):
        return masked_address(value)
    if isinstance(value, Mapping):
        return {name: masked_values(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [masked_values(one) for one in value]
    return value


class MaskingFilter(logging.Filter):
    """Takes secrets out of every log record, its arguments and its traceback included."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Changes the record in place; nothing is held back."""
        record.msg, record.args = masked(record.getMessage()), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = masked(record.exc_text)
        if record.stack_info:
            record.stack_info = masked(record.stack_info)
        return True


def mask_logs(*loggers: logging.Logger) -> None:
    """Puts the filter on every handler of the loggers given, and of the root; doing so again changes nothing."""
    for logger in (logging.getLogger(), *loggers):
        for handler in logger.handlers:
            if not any(isinstance(one, MaskingFilter) for one in handler.filters):
                handler.addFilter(MaskingFilter())
