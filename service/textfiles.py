"""Files of text that a user names: their text, or what they say as YAML; whatever is wrong with one is said with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from rules.documents import load_yaml
from service.errors import ServiceError


def read_text(path: Path, *, what: str, do: str) -> str:
    """The text of a file.

    Raises:
        ServiceError: there is none, it is a folder, cannot be read, or is not text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ServiceError(f"no such {what}", where=path, do=do) from None
    except IsADirectoryError:
        raise ServiceError(f"this is a folder, not a {what}", where=path, do=do) from None
    except UnicodeDecodeError:
        raise ServiceError(f"this is not text, so it is no {what}", where=path, do=do) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ServiceError(f"the {what} cannot be read ({reason})", where=path, do=do) from error


def parse_yaml(text: str, *, where: object, do: str = "Correct that line") -> Any:
    """The content of a YAML document as plain values.

    Raises:
        ServiceError: it is none, or has a key twice; says line and column.
    """
    try:
        return load_yaml(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}, line {mark.line + 1}, column {mark.column + 1}" if mark else where
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error).partition("\n")[0]
        raise ServiceError(f"this is not YAML ({problem})", where=place, do=do) from error
