"""Where webhooks may go: the check of an address before anything is sent to it, each time."""

from __future__ import annotations

from service.access.addresses import WEBHOOKS, AddressPolicy, Resolver, Target, check_address


def verify_target_url(url: str, policy: AddressPolicy = WEBHOOKS, *, resolve: Resolver | None = None) -> Target:
    """Says whether a webhook may be sent to an address, and to which resolved addresses exactly.

    Public hosts over https only. Loopback, private, link-local and metadata addresses, and plain http, only for hosts
    that the settings name (`webhooks.hosts`).

    Args:
        url: as someone typed it.
        policy: of the settings.
        resolve: (host, port) to addresses; the system's resolver if None.

    Raises:
        AddressError: it may not; says what would have to be configured.
    """
    return check_address(url, policy, resolve=resolve)
