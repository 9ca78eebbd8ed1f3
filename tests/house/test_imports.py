"""The walls of the house: which folder may import which, and that the folder names belong to us alone."""

from __future__ import annotations

import ast
import importlib.metadata
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("rules", "calibration", "models", "vision", "datasets", "service")
ALLOWED = {
    "rules": set(),
    "calibration": {"rules"},
    "models": set(),
    "vision": {"models", "calibration", "rules"},
    "datasets": {"rules", "calibration", "models", "vision"},
    "service": {"rules", "calibration", "models", "vision", "datasets"},
}
VISION_MAY_USE_OF_RULES = {"rules.events"}
ROOMS_OF_VISION = {
    "frames": set(),
    "change": {"frames"},
    "looks": {"frames"},
    "stills": {"frames", "looks"},
    "tracking": {"frames", "change", "looks"},
    "observation": {"frames", "change", "looks", "tracking"},
}
"""Which room of `vision/` may import which; what stands above them (`pipeline`) may import all."""
RULES_MAY_USE = {"yaml"}


def imported_modules(path: Path) -> set[str]:
    """Every module a file imports, dotted, with `from a import b` counted as `a.b` as well."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write absolute imports"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def files_of(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_folder_imports_only_what_the_design_allows(package: str) -> None:
    forbidden = set(PACKAGES) - ALLOWED[package] - {package}
    offences = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in files_of(package)
        for module in imported_modules(path)
        if module.split(".")[0] in forbidden | {"tests"}
    ]
    assert offences == []


def test_vision_knows_only_the_language_and_the_table_of_the_rules() -> None:
    offences = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in files_of("vision")
        for module in imported_modules(path)
        if module.split(".")[0] == "rules"
        and ".".join(module.split(".")[:2]) not in VISION_MAY_USE_OF_RULES | {"rules"}
    ]
    assert offences == []


@pytest.mark.parametrize(
    "room", sorted(path.name for path in (ROOT / "vision").iterdir() if (path / "__init__.py").exists())
)
def test_a_room_of_vision_imports_only_rooms_before_it(room: str) -> None:
    allowed = {f"vision.{name}" for name in ROOMS_OF_VISION[room] | {room}}
    offences = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in files_of(f"vision/{room}")
        for module in imported_modules(path)
        if module.startswith("vision.") and ".".join(module.split(".")[:2]) not in allowed
    ]
    assert offences == []


def test_rules_are_pure_python() -> None:
    stdlib = sys.stdlib_module_names
    offences = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in files_of("rules")
        for module in imported_modules(path)
        if module.split(".")[0] not in {*stdlib, *RULES_MAY_USE, "rules"}
    ]
    assert offences == []


def test_no_installed_dependency_brings_a_package_of_our_names() -> None:
    owners = importlib.metadata.packages_distributions()
    strangers = {name: owners[name] for name in PACKAGES if set(owners.get(name, [])) - {"pitwatch"}}
    assert strangers == {}
