"""Who may do what: the permission matrix as data, and the one who asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from service.errors import ServiceError

ALL_TABLES = "*"
"""The group that is every table; it has no rows."""


class Role(StrEnum):
    """What someone does in the house; granted for a group of tables or for all."""

    VIEWER = "viewer"
    """Looks on: alerts, their evidence, the live tables."""
    OPERATOR = "operator"
    """Works in the surveillance room: handles alerts."""
    SUPERVISOR = "supervisor"
    """Answers for the room: reopens alerts, exports evidence, orders reviews, reads the log."""
    AUDITOR = "auditor"
    """Asks how accurate the payouts were: reads everything, changes no alert."""
    ADMINISTRATOR = "administrator"
    """Runs the system: people, keys, tables, receivers. Decides nothing about alerts."""


class Permission(StrEnum):
    """One thing that may be allowed; keys are limited to some of these (scopes)."""

    ALERTS_READ = "alerts.read"
    ALERTS_HANDLE = "alerts.handle"
    ALERTS_REOPEN = "alerts.reopen"
    EVIDENCE_READ = "evidence.read"
    EVIDENCE_EXPORT = "evidence.export"
    EVIDENCE_KEEP = "evidence.keep"
    REVIEWS_READ = "reviews.read"
    REVIEWS_RUN = "reviews.run"
    AUDIT_READ = "audit.read"
    AUDIT_IMPORT = "audit.import"
    AUDIT_EXPORT = "audit.export"
    TABLES_READ = "tables.read"
    TABLES_OPERATE = "tables.operate"
    TABLES_CONFIGURE = "tables.configure"
    FEED_MANAGE = "feed.manage"
    METRICS_READ = "metrics.read"
    JOURNAL_READ = "journal.read"
    JOURNAL_EXPORT = "journal.export"
    PEOPLE_MANAGE = "people.manage"
    KEYS_MANAGE = "keys.manage"


WHAT_IT_ALLOWS: dict[Permission, str] = {
    Permission.ALERTS_READ: "see alerts, their history and the events around them, and follow the feed",
    Permission.ALERTS_HANDLE: "acknowledge, comment, assign, confirm and dismiss alerts",
    Permission.ALERTS_REOPEN: "open an alert again that was closed",
    Permission.EVIDENCE_READ: "see pictures and clips of alerts, and live pictures",
    Permission.EVIDENCE_EXPORT: "take bundles of evidence out of the system",
    Permission.EVIDENCE_KEEP: "place and lift holds on evidence, delete what is due, erase on request",
    Permission.REVIEWS_READ: "read reviews of recordings and their reports",
    Permission.REVIEWS_RUN: "start, cancel and resume reviews",
    Permission.AUDIT_READ: "read payout accuracy and audit reports",
    Permission.AUDIT_IMPORT: "bring in settled rounds and events of other systems",
    Permission.AUDIT_EXPORT: "export audit tables and reports",
    Permission.TABLES_READ: "see the tables, their state and health",
    Permission.TABLES_OPERATE: "pause and resume a table",
    Permission.TABLES_CONFIGURE: "add, change, calibrate and remove tables",
    Permission.FEED_MANAGE: "set up receivers of webhooks, send dead letters again",
    Permission.METRICS_READ: "read the metrics of the service",
    Permission.JOURNAL_READ: "read the log of who saw, exported and changed what",
    Permission.JOURNAL_EXPORT: "export that log",
    Permission.PEOPLE_MANAGE: "add people, grant roles, end sessions, define groups of tables",
    Permission.KEYS_MANAGE: "make and revoke API keys",
}

_P, _R = Permission, Role
MATRIX: dict[Permission, frozenset[Role]] = {
    _P.ALERTS_READ: frozenset(_R),
    _P.ALERTS_HANDLE: frozenset({_R.OPERATOR, _R.SUPERVISOR}),
    _P.ALERTS_REOPEN: frozenset({_R.SUPERVISOR}),
    _P.EVIDENCE_READ: frozenset(_R),
    _P.EVIDENCE_EXPORT: frozenset({_R.SUPERVISOR, _R.AUDITOR}),
    _P.EVIDENCE_KEEP: frozenset({_R.SUPERVISOR, _R.AUDITOR}),
    _P.REVIEWS_READ: frozenset({_R.OPERATOR, _R.SUPERVISOR, _R.AUDITOR}),
    _P.REVIEWS_RUN: frozenset({_R.SUPERVISOR, _R.AUDITOR}),
    _P.AUDIT_READ: frozenset({_R.SUPERVISOR, _R.AUDITOR}),
    _P.AUDIT_IMPORT: frozenset({_R.AUDITOR}),
    _P.AUDIT_EXPORT: frozenset({_R.SUPERVISOR, _R.AUDITOR}),
    _P.TABLES_READ: frozenset(_R),
    _P.TABLES_OPERATE: frozenset({_R.SUPERVISOR, _R.ADMINISTRATOR}),
    _P.TABLES_CONFIGURE: frozenset({_R.ADMINISTRATOR}),
    _P.FEED_MANAGE: frozenset({_R.ADMINISTRATOR}),
    _P.METRICS_READ: frozenset({_R.SUPERVISOR, _R.AUDITOR, _R.ADMINISTRATOR}),
    _P.JOURNAL_READ: frozenset({_R.SUPERVISOR, _R.AUDITOR, _R.ADMINISTRATOR}),
    _P.JOURNAL_EXPORT: frozenset({_R.SUPERVISOR, _R.AUDITOR, _R.ADMINISTRATOR}),
    _P.PEOPLE_MANAGE: frozenset({_R.ADMINISTRATOR}),
    _P.KEYS_MANAGE: frozenset({_R.ADMINISTRATOR}),
}
"""Which roles hold which permission. `docs/access.md` shows it, tests hold both to each other."""

HOUSE_WIDE = frozenset({_P.PEOPLE_MANAGE, _P.KEYS_MANAGE, _P.FEED_MANAGE, _P.METRICS_READ})
"""Counts only when the role is granted for all tables: who could change it for some could change it for all."""

FIRST_ROLES = (Role.ADMINISTRATOR, Role.SUPERVISOR, Role.AUDITOR)
"""What the first account holds, so that one person can begin alone; take away what is handed to others."""


class ForbiddenError(ServiceError):
    """The one who asks may not do this (HTTP 403)."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A role for some tables; `tables` None means all, those of the future included."""

    role: Role
    tables: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Principal:
    """The one who asks: a person in a session, or a key.

    Attributes:
        user_id: the account, of a key the account of its owner.
        name: sign-in name.
        grants: roles with their tables.
        credential: hash that names the session or key; never the secret itself.
        key_label: of a key what it is for, None for a person.
        scopes: of a key the only permissions it has, and only while its owner has them too.
        scope_tables: of a key the only tables it may see, None for all of its owner's.
        must_change_password: may do nothing else first.
    """

    user_id: int
    name: str
    grants: tuple[Grant, ...]
    credential: str = ""
    key_label: str | None = None
    scopes: frozenset[Permission] | None = None
    scope_tables: frozenset[str] | None = None
    must_change_password: bool = False

    @property
    def signature(self) -> str:
        """How it signs what it does: the name, with the key if it was one."""
        return self.name if self.key_label is None else f"{self.name} (key {self.key_label})"

    @property
    def roles(self) -> tuple[Role, ...]:
        """All its roles in the order of `Role`."""
        held = {grant.role for grant in self.grants}
        return tuple(role for role in Role if role in held)

    def tables_for(self, permission: Permission) -> frozenset[str] | None:
        """The tables for which it holds a permission: None for all, the empty set for none."""
        if self.scopes is not None and permission not in self.scopes:
            return frozenset()
        tables: frozenset[str] = frozenset()
        whole = False
        for grant in self.grants:
            if grant.role in MATRIX[permission]:
                whole |= grant.tables is None
                tables |= grant.tables or frozenset()
        if self.scope_tables is not None:
            return self.scope_tables if whole else tables & self.scope_tables
        return None if whole else tables

    def may(self, permission: Permission, table_id: str | None = None) -> bool:
        """Whether it holds a permission, for one table or for any."""
        tables = self.tables_for(permission)
        if permission in HOUSE_WIDE:
            return tables is None
        return tables is None or (bool(tables) if table_id is None else table_id in tables)

    def verify(self, permission: Permission, table_id: str | None = None) -> None:
        """Does nothing if it holds the permission.

        Raises:
            ForbiddenError: it does not; says which roles would.
        """
        if not self.may(permission, table_id):
            what, do = refusal(permission, table_id)
            raise ForbiddenError(what, do=do)


def refusal(permission: Permission, table_id: str | None = None) -> tuple[str, str]:
    """What is said to someone who lacks a permission: what, and what to do."""
    roles = " or ".join(role for role in Role if role in MATRIX[permission])
    place = f" for table {table_id}" if table_id else " for all tables" if permission in HOUSE_WIDE else ""
    return f"you may not {WHAT_IT_ALLOWS[permission]}{place}", f"Ask an administrator for the role {roles}"


def role_named(name: str) -> Role:
    """A role by its name.

    Raises:
        ServiceError: there is none of this name.
    """
    try:
        return Role(name)
    except ValueError:
        raise ServiceError(f"there is no role {name!r}", do=f"Use {', '.join(Role)}") from None


def permissions_named(names: Iterable[str]) -> frozenset[Permission]:
    """Permissions by their names.

    Raises:
        ServiceError: one of them does not exist.
    """
    known = {permission.value for permission in Permission}
    unknown = sorted(set(names) - known)
    if unknown:
        raise ServiceError(f"there is no permission {unknown[0]!r}", do=f"Use {', '.join(sorted(known))}")
    return frozenset(Permission(name) for name in names)


def matrix_markdown() -> str:
    """The matrix as a table for the documentation."""
    lines = ["| permission | allows to | " + " | ".join(Role) + " |", "|---|---|" + ":-:|" * len(Role)]
    for permission in Permission:
        marks = " | ".join("yes" if role in MATRIX[permission] else "" for role in Role)
        star = " *" if permission in HOUSE_WIDE else ""
        lines.append(f"| `{permission}`{star} | {WHAT_IT_ALLOWS[permission]} | {marks} |")
    return "\n".join(lines)
