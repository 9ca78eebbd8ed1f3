"""YAML and JSON that people write, read strictly: a key that stands twice is refused, for only one of them could count."""

from __future__ import annotations

import json
from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError
from yaml.scanner import ScannerError


def in_a_line(value: object) -> str:
    """A value as an error shows it, not longer than a line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


MOST_NESTED = 100
"""Brackets within brackets that a YAML document may open; for each, PyYAML's reader goes through all that are open: 10,000 took it 29 s of the processor."""


class _Shallow(yaml.scanner.Scanner):
    """Refuses brackets within more than `MOST_NESTED` others before it goes on to read."""

    def fetch_flow_collection_start(self, token_class: Any) -> None:
        if self.flow_level >= MOST_NESTED:
            raise ScannerError(None, None, "nested too deeply", self.get_mark())  # type: ignore[attr-defined]  # of the reader beneath
        super().fetch_flow_collection_start(token_class)


class _Once(yaml.composer.Composer):
    """Refuses a mapping that has one key twice; YAML itself forbids it, its readers take the last one."""

    def compose_mapping_node(self, anchor: Any) -> Any:
        node = super().compose_mapping_node(anchor)
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    raise ComposerError(None, None, f"key {key.value[:60]!r} stands there twice", key.start_mark)
                seen.add((key.tag, key.value))
        return node


class _Loader(_Shallow, _Once, yaml.SafeLoader):
    """Plain values; what looks like a date or a number and is none is told with its line."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError, LookupError, AttributeError) as error:
            kind = node.tag.rpartition(":")[2]
            raise ConstructorError(None, None, f"no {kind}: {str(node.value)[:60]!r}", node.start_mark) from error


class _TextLoader(_Shallow, _Once, yaml.BaseLoader):
    """Every value as the text that stands there."""


def load_yaml(text: str, *, as_texts: bool = False) -> Any:
    """The content of a YAML document as plain values.

    Args:
        text: the document.
        as_texts: every value as the text that stands there, also what looks like a number or a time.

    Raises:
        yaml.YAMLError: it is none, or has a key twice; most say line and column.
    """
    try:
        return yaml.load(text, Loader=_TextLoader if as_texts else _Loader)
    except RecursionError as error:
        raise yaml.YAMLError("nested too deeply") from error


def has_aliases(text: str) -> bool:
    """Whether a YAML document refers to parts of itself, which can make a short text endless.

    Raises:
        yaml.YAMLError: as far as it was read, it is none.
    """
    return any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader))


def load_json(text: str | bytes) -> Any:
    """The value of a JSON document.

    Raises:
        ValueError: it is none, or has a field twice.
    """
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in pairs:
        if name in out:
            raise ValueError(f"field {name[:60]!r} stands there twice")
        out[name] = value
    return out
