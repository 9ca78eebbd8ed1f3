"""The page at `/docs`: the interface as OpenAPI describes it, without scripts and without any other host."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi.responses import HTMLResponse

from service.screens.login import environment

SHOWN_DEPTH = 3


def interface_page(openapi: Mapping[str, Any], *, nonce: str) -> HTMLResponse:
    """The page.

    Args:
        openapi: the description.
        nonce: of this answer's content security policy.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, item in openapi["paths"].items():
        for method, operation in item.items():
            tag = (operation.get("tags") or [path.split("/")[2] if path.count("/") > 1 else "service"])[0]
            groups.setdefault(tag, []).append(_operation(openapi, path, method, operation))
    page = environment().get_template("interface.html")
    return HTMLResponse(page.render(nonce=nonce, version=openapi["info"]["version"], groups=sorted(groups.items())))


def _operation(openapi: Mapping[str, Any], path: str, method: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    parameters = [
        {
            "name": p["name"], "in": p["in"], "required": p.get("required", False),
            "type": _type(openapi, p.get("schema", {})), "description": p.get("description", ""),
        }
        for p in operation.get("parameters", ())
    ]  # fmt: skip
    body = operation.get("requestBody", {}).get("content", {})
    done: Mapping[str, Any] = next(
        (a for status, a in sorted(operation["responses"].items()) if status.startswith("2")), {}
    )
    return {
        "path": path,
        "method": method.upper(),
        "summary": operation.get("summary", ""),
        "description": operation.get("description", ""),
        "need": operation.get("x-permission", ""),
        "parameters": parameters,
        "body": _example(openapi, body),
        "answer": _example(openapi, done.get("content", {})),
    }


def _example(openapi: Mapping[str, Any], content: Mapping[str, Any]) -> str:
    for media, described in content.items():
        schema = described.get("schema", {})
        if "json" in media and schema:
            return json.dumps(_shape(openapi, schema, SHOWN_DEPTH), indent=2)
        return str(media)
    return ""


def _shape(openapi: Mapping[str, Any], schema: Mapping[str, Any], depth: int) -> Any:
    """A schema as it would look filled in, types in the place of values."""
    schema = _resolved(openapi, schema)
    if depth and "properties" in schema:
        return {name: _shape(openapi, one, depth - 1) for name, one in schema["properties"].items()}
    if depth and schema.get("type") == "array":
        return [_shape(openapi, schema.get("items", {}), depth - 1)]
    return _type(openapi, schema)


def _type(openapi: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    schema = _resolved(openapi, schema)
    if "anyOf" in schema:
        return " or ".join(_type(openapi, one) for one in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(str(one) for one in schema["enum"])
    return str(schema.get("const", schema.get("format", schema.get("type", "any"))))


def _resolved(openapi: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        schema = openapi["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema
