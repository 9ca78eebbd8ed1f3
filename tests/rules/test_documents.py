"""YAML and JSON that people write: a key that stands twice is refused wherever it stands."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml

from rules.documents import has_aliases, load_json, load_yaml


@pytest.mark.parametrize(
    "text",
    ["a: 1\nb: 2\na: 3", 'a: 1\n"a": 3', "x:\n  - {a: 1, b: 2, a: 3}", "1: a\n1: b", "a: &x {b: 1}\nc: *x\na: 2"],
    ids=["at the top", "quoted", "within a list", "numbers", "with an alias"],
)
def test_a_key_twice_in_yaml_is_refused_with_its_line(text: str) -> None:
    for as_texts in (False, True):
        with pytest.raises(yaml.YAMLError, match=r"(?s)key '[a1]' stands there twice.*line [1-3]"):
            load_yaml(text, as_texts=as_texts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: 2026-99-99", "no timestamp: '2026-99-99'"), ("a: 1\nb: " + "9" * 5000, "no int: '9999"),
        ("a: 1\nb: !!float x", "no float: 'x'"), ("a: 1\nb: !!timestamp x", "no timestamp"), ("a: 1\nb: !!int ''", "no int"),
    ],
)  # fmt: skip
def test_what_looks_like_a_number_or_a_day_and_is_none_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(yaml.YAMLError, match=rf"(?s){said}.*line 2, column 4"):
        load_yaml(text)


def test_yaml_nested_without_end_is_refused() -> None:
    with pytest.raises(yaml.YAMLError, match="nested too deeply"):
        load_yaml("a: " + "[" * 5000)


@pytest.mark.parametrize("bracket", "[{")
@pytest.mark.parametrize("read", [load_yaml, has_aliases])
def test_yaml_nested_without_end_is_not_read_to_its_end(read: Callable[[str], object], bracket: str) -> None:
    # 10,000 of them took half a minute when they were read.
    with pytest.raises(yaml.YAMLError, match=r"nested too deeply\s+in .*, line 2, column 104:"):
        read("b: 1\na: " + bracket * 1_000_000)


def test_brackets_within_brackets_are_read_as_far_as_anybody_needs_them() -> None:
    value: object = load_yaml("[" * 90 + "1" + "]" * 90)
    for _ in range(90):
        assert isinstance(value, list)
        (value,) = value
    assert value == 1


def test_a_document_that_refers_to_parts_of_itself_is_told() -> None:
    assert has_aliases("a: &a [1]\nb: *a")
    assert not has_aliases("a: [1]\nb: '*a'")


def test_what_stands_there_once_is_read_as_ever() -> None:
    text = "base: &b {a: 1}\nmore: {<<: *b, a: 2}\nagain: {a: 3}\nday: 2026-10-01"
    assert load_yaml(text) == yaml.safe_load(text)
    assert load_yaml("day: 2026-10-01", as_texts=True) == {"day": "2026-10-01"}
    assert load_json('{"a": [{"b": 1}, {"b": 2}]}') == {"a": [{"b": 1}, {"b": 2}]}


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '[{"b": {"a": 1, "a": 2}}]', '{"\\u0061": 1, "a": 2}'])
def test_a_field_twice_in_json_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match="field 'a' stands there twice"):
        load_json(text)


def test_json_nested_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        load_json("[" * 100_000)
