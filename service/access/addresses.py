"""What may be reached from here: cameras, webhooks, files of recordings.

An address that someone typed into a form is called by this machine, inside the casino's network, so it must not become a
way to reach what that person could not reach alone (server-side request forgery). A host is allowed when the
configuration names it (`hosts`: names, `*.suffix`, addresses, networks), or, where `public` says so, when all its
addresses are public ones. Names are resolved here, and `Target.pinned` connects to exactly the addresses that were checked,
so that a name cannot point elsewhere a moment later. Cameras are opened by their names: what is left there is said in
docs/access.md.

Who writes the configuration or a table's file on this machine is trusted; who uses the screens or the interface is not.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from service.access.masking import masked_address
from service.errors import ServiceError

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Sequence[str]]
PORTS = {"http": 80, "https": 443, "rtsp": 554, "rtsps": 322, "rtmp": 1935}
PRIVATE_NETWORKS = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class AddressError(ServiceError):
    """An address that may not be reached from here."""


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Which hosts may be called.

    Attributes:
        schemes: allowed for every host.
        named_schemes: allowed only for hosts that `hosts` names, e.g. plain http.
        hosts: names (`cam7.example`), suffixes (`*.example`), addresses (`10.0.0.7`, `[::1]`) and networks
            (`10.20.0.0/16`) that are allowed though they are not public.
        public: hosts are allowed without being named if every address of theirs is a public one.
        credentials: user name and password may stand in the address.
        setting: where `hosts` is configured, for the error message.
    """

    schemes: frozenset[str]
    named_schemes: frozenset[str] = frozenset()
    hosts: tuple[str, ...] = ()
    public: bool = True
    credentials: bool = False
    setting: str = "webhooks.hosts"


WEBHOOKS = AddressPolicy(frozenset({"https"}), frozenset({"http"}))
"""Receivers of webhooks: any public host over https; others, and plain http, only where the configuration names them."""
CAMERAS = AddressPolicy(
    frozenset({"rtsp", "rtsps", "http", "https"}), frozenset(), PRIVATE_NETWORKS, public=False, credentials=True, setting="cameras.hosts"
)  # fmt: skip
"""Cameras: in private networks, never on this machine itself, unless the configuration says otherwise."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address that was checked, with what its host resolved to.

    Attributes:
        url: as given.
        host: name or address, without brackets.
        port: given, or the scheme's own.
        addresses: what the host resolved to when it was checked; connect to these and no others.
    """

    url: str
    host: str
    port: int
    addresses: tuple[str, ...]

    def pinned(self) -> tuple[str, dict[str, str], dict[str, Any]]:
        """URL, headers and extensions for httpx that connect to the first checked address.

        The certificate is still checked against the host's name (`sni_hostname`). Do not follow redirects with them:
        each new address must be checked anew.
        """
        parts = urlsplit(self.url)
        address = self.addresses[0]
        where = f"[{address}]" if ":" in address else address
        pinned = urlunsplit((parts.scheme, f"{where}:{self.port}", parts.path, parts.query, ""))
        default = self.port == PORTS.get(parts.scheme)
        name = f"[{self.host}]" if ":" in self.host else self.host
        return pinned, {"Host": name if default else f"{name}:{self.port}"}, {"sni_hostname": self.host}


def check_address(url: str, policy: AddressPolicy, *, resolve: Resolver | None = None) -> Target:
    """Says whether an address may be called, and where exactly it leads.

    Args:
        url: as someone typed it.
        policy: what is allowed.
        resolve: (host, port) to addresses; the system's resolver if None.

    Raises:
        AddressError: it is no address, or may not be called; what is missing in the configuration is said.
    """
    parts, host, port = _parts(url, policy)
    addresses = _resolved(host, port, url, resolve or system_resolver)
    named = names_host(policy.hosts, host, addresses)
    shown = masked_address(url)
    if parts.scheme in policy.named_schemes and not named:
        raise AddressError(
            f"{parts.scheme} is only for hosts that {policy.setting} names", where=shown,
            do=f"Use {' or '.join(sorted(policy.schemes))}, or add {host} to {policy.setting}",
        )  # fmt: skip
    if not named and not (policy.public and all(is_public(one) for one in addresses)):
        raise AddressError(
            f"{host} leads into this machine's own or a private network, which {policy.setting} does not name"
            if policy.public else f"{host} is not among the hosts of {policy.setting}",
            where=shown, do=f"Add the host or its network to {policy.setting} in the settings file",
        )  # fmt: skip
    return Target(url, host, port, tuple(str(one) for one in addresses))


def check_camera(
    source: str, policy: AddressPolicy, folders: Iterable[Path], *, devices: bool = False, resolve: Resolver | None = None
) -> str:  # fmt: skip
    """Says whether a camera source that someone typed may be opened: a stream's address, a device number, or a file.

    Args:
        source: as typed.
        policy: which streams.
        folders: files and folders of pictures must lie in one of these, links followed.
        devices: camera numbers are allowed.
        resolve: as in `check_address`.

    Returns:
        The source to open; paths are absolute with all links resolved, so that nothing in them is taken for a protocol.

    Raises:
        AddressError: it may not be opened.
    """
    if "\0" in source or not source.strip():
        raise AddressError("this is no camera source", where=repr(source[:80]), do="Give an address or a file")
    if source.isascii() and source.isdecimal():
        if not devices:
            raise AddressError("camera numbers are not allowed here", where=source, do="Set cameras.devices: true")
        return source
    if "://" in source:
        check_address(source, policy, resolve=resolve)
        return source
    return str(inside(Path(source), folders, setting="cameras.folders"))


def inside(path: Path, folders: Iterable[Path], *, setting: str) -> Path:
    """The path with all links resolved, if it lies in one of the folders.

    A path that is not absolute is looked for in each folder.

    Raises:
        AddressError: it lies elsewhere, or there is nothing.
    """
    found = found_below(path, folders)
    if found is None:
        raise AddressError(
            f"there is no such file in the folders of {setting}", where=path, do=f"Put it there, or add its folder to {setting}"
        )  # fmt: skip
    return found


def found_below(path: Path, folders: Iterable[Path]) -> Path | None:
    """The path with all links resolved; None if it lies in none of the folders, nothing is there, or it can be no path."""
    allowed = [folder.resolve() for folder in folders]
    for one in [path] if path.is_absolute() else [folder / path for folder in allowed]:
        try:
            real = one.resolve()
            if any(real.is_relative_to(folder) for folder in allowed) and real.exists():
                return real
        except (OSError, ValueError, RuntimeError):  # NUL, a name too long, links in a circle
            continue
    return None


def names_host(hosts: Iterable[str], host: str, addresses: Sequence[IPAddress]) -> bool:
    """Whether a list of names, `*.suffix`, addresses and networks names a host; networks must hold all its addresses."""
    networks, name = [], host.lower().rstrip(".")
    for pattern in (one.lower().strip("[]").rstrip(".") for one in hosts):
        if pattern == name or (pattern.startswith("*.") and name.endswith(pattern[1:])):
            return True
        try:
            networks.append(ipaddress.ip_network(pattern, strict=False))
        except ValueError:
            continue
    return bool(addresses) and all(
        any(one.version == network.version and one in network for network in networks) for one in addresses
    )


def is_public(address: IPAddress) -> bool:
    """Whether an address is one of the open internet; addresses wrapped into IPv6 are looked at as what they stand for."""
    inner = _unwrapped(address)
    return inner.is_global and not inner.is_multicast and not inner.is_reserved


def system_resolver(host: str, port: int) -> list[str]:
    """What the system resolves a host to."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]).partition("%")[0] for one in found))


def _parts(url: str, policy: AddressPolicy) -> tuple[SplitResult, str, int]:
    allowed = policy.schemes | policy.named_schemes
    shown = masked_address(url)
    if any(ord(sign) <= 32 or sign in '\\"<>^`{|}' for sign in url):
        raise AddressError("this is no address: spaces and signs that do not belong in one", where=repr(shown[:200]))
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError as error:
        raise AddressError(f"this is no address ({error})", where=shown, do="Write it as https://host/path") from error
    if parts.scheme not in allowed:
        raise AddressError(
            f"addresses with {parts.scheme or 'no scheme'} are not allowed", where=shown, do=f"Use {', '.join(sorted(allowed))}"
        )  # fmt: skip
    if not parts.hostname:
        raise AddressError("no host in this address", where=shown, do="Write it as https://host/path")
    if "@" in parts.netloc and not policy.credentials:
        raise AddressError("no user names or passwords in this address", where=shown, do="Leave them out")
    return parts, parts.hostname, port


def _resolved(host: str, port: int, url: str, resolve: Resolver) -> tuple[IPAddress, ...]:
    try:
        addresses = tuple(_unwrapped(ipaddress.ip_address(one)) for one in resolve(host, port))
    except (OSError, UnicodeError, ValueError) as error:
        raise AddressError(
            f"{host} cannot be resolved ({error})", where=masked_address(url), do="Check the host's name"
        ) from error
    if not addresses:
        raise AddressError(f"{host} has no address", where=masked_address(url), do="Check the host's name")
    return addresses


def _unwrapped(address: IPAddress) -> IPAddress:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return inner or address
    return address
