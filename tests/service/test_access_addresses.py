"""What may be reached: nothing inside the network unless the configuration names it, whatever way it is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.access.addresses import CAMERAS, WEBHOOKS, AddressError, check_address, check_camera, inside
from service.errors import ServiceError

PUBLIC = "93.184.216.34"


def resolves(*addresses: str):  # type: ignore[no-untyped-def]
    return lambda host, port: list(addresses)


def test_a_public_receiver_is_allowed_and_pinned() -> None:
    target = check_address("https://hooks.example/in?x=1#part", WEBHOOKS, resolve=resolves(PUBLIC))
    url, headers, extensions = target.pinned()
    assert url == f"https://{PUBLIC}:443/in?x=1"
    assert headers == {"Host": "hooks.example"}
    assert extensions == {"sni_hostname": "hooks.example"}
    other = check_address("https://hooks.example:8443/in", WEBHOOKS, resolve=resolves("2606:2800:220:1::1"))
    assert other.pinned()[:2] == ("https://[2606:2800:220:1::1]:8443/in", {"Host": "hooks.example:8443"})


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::",
    ],
)  # fmt: skip
def test_no_host_may_lead_inside(address: str) -> None:
    with pytest.raises(AddressError, match=r"webhooks\.hosts"):
        check_address("https://innocent.example/", WEBHOOKS, resolve=resolves(address))
    with pytest.raises(AddressError):
        check_address("https://innocent.example/", WEBHOOKS, resolve=resolves(PUBLIC, address))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "[::ffff:7f00:1]"]
)
def test_this_machine_is_found_however_it_is_written(host: str) -> None:
    with pytest.raises(AddressError):
        check_address(f"https://{host}/", WEBHOOKS)


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("http://hooks.example/", "only for hosts"),
        ("ftp://hooks.example/", "not allowed"),
        ("file:///etc/passwd", "not allowed"),
        ("gopher://hooks.example/", "not allowed"),
        ("hooks.example/in", "no scheme"),
        ("https://", "no host"),
        ("https://user:s3cret@hooks.example/", "no user names"),
        ("https://hooks.example:99999/", "no address"),
        ("https://hooks.example/\r\nHost: other", "no address"),
        ("https://hooks.example\\@10.0.0.1/", "no address"),
        ("https://[::1/", "no address"),
    ],
)
def test_what_is_no_address_of_a_receiver(url: str, part: str) -> None:
    with pytest.raises(AddressError, match=part) as refused:
        check_address(url, WEBHOOKS, resolve=resolves(PUBLIC))
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("hosts", "host", "address", "allowed"),
    [
        (("alarm.casino.example",), "alarm.casino.example", "10.0.0.9", True),
        (("alarm.casino.example",), "ALARM.casino.example", "10.0.0.9", True),
        (("*.casino.example",), "alarm.casino.example", "10.0.0.9", True),
        (("*.casino.example",), "casino.example", "10.0.0.9", False),
        (("*.casino.example",), "evilcasino.example", "10.0.0.9", False),
        (("10.0.0.0/24",), "alarm.example", "10.0.0.9", True),
        (("10.0.0.0/24",), "alarm.example", "10.0.1.9", False),
        (("10.0.0.9",), "10.0.0.9", "10.0.0.9", True),
        (("127.0.0.1",), "localhost", "127.0.0.1", True),
        (("::1",), "[::1]", "::1", True),
    ],
)
def test_what_the_configuration_names(hosts: tuple[str, ...], host: str, address: str, allowed: bool) -> None:
    policy = replace(WEBHOOKS, hosts=hosts)
    for scheme in ("http", "https"):
        if allowed:
            assert check_address(f"{scheme}://{host}/", policy, resolve=resolves(address)).addresses == (address,)
        else:
            with pytest.raises(AddressError):
                check_address(f"{scheme}://{host}/", policy, resolve=resolves(address))


def test_a_network_must_hold_all_addresses_of_a_name() -> None:
    policy = replace(WEBHOOKS, hosts=("10.0.0.0/24",))
    with pytest.raises(AddressError):
        check_address("https://two.example/", policy, resolve=resolves("10.0.0.9", "127.0.0.1"))


def test_a_name_that_means_nothing() -> None:
    def fails(host: str, port: int) -> list[str]:
        raise OSError("Name or service not known")

    with pytest.raises(AddressError, match="cannot be resolved"):
        check_address("https://nowhere.example/", WEBHOOKS, resolve=fails)
    with pytest.raises(AddressError, match="has no address"):
        check_address("https://nowhere.example/", WEBHOOKS, resolve=resolves())


def test_cameras_are_in_private_networks_and_never_here() -> None:
    good = "rtsp://admin:s3cret@10.20.0.7/stream1"
    assert check_camera(good, CAMERAS, ()) == good
    for bad in ("rtsp://127.0.0.1/x", "rtsp://169.254.169.254/x", f"rtsp://{PUBLIC}/x", "http://[::1]:8080/api"):
        with pytest.raises(AddressError, match=r"cameras\.hosts"):
            check_camera(bad, CAMERAS, ())
    for scheme in ("udp", "tcp", "file", "concat", "srt"):
        with pytest.raises(AddressError, match="not allowed"):
            check_camera(f"{scheme}://10.20.0.7/x", CAMERAS, ())
    with pytest.raises(AddressError) as refused:
        check_camera("rtsp://admin:s3cret@8.8.8.8/x", CAMERAS, ())
    assert "s3cret" not in str(refused.value)


def test_device_numbers_only_where_allowed() -> None:
    assert check_camera("0", CAMERAS, (), devices=True) == "0"
    with pytest.raises(AddressError, match="camera numbers"):
        check_camera("0", CAMERAS, ())


def test_recordings_lie_in_their_folders(tmp_path: Path) -> None:
    folder, other = tmp_path / "recordings", tmp_path / "other"
    for one in (folder, other):
        one.mkdir()
        (one / "night.mp4").write_bytes(b"x")
    (folder / "link.mp4").symlink_to(other / "night.mp4")
    (folder / "round.mp4").symlink_to("round.mp4")
    (tmp_path / "recordings-old").mkdir()
    (tmp_path / "recordings-old" / "a.mp4").write_bytes(b"x")
    assert check_camera("night.mp4", CAMERAS, [folder]) == str(folder / "night.mp4")
    assert check_camera(str(folder / "night.mp4"), CAMERAS, [folder]) == str(folder / "night.mp4")
    for bad in (
        "../other/night.mp4", str(other / "night.mp4"), "link.mp4", "/etc/passwd", "gone.mp4", "../recordings-old/a.mp4",
        "concat:night.mp4|/etc/passwd", "pipe:0", "night.mp4\0.txt", " ", "n" * 999, "round.mp4",
    ):  # fmt: skip
        with pytest.raises(AddressError):
            check_camera(bad, CAMERAS, [folder])
    with pytest.raises(AddressError):
        inside(Path("night.mp4\0.txt"), [folder], setting="cameras.folders")
    with pytest.raises(ServiceError, match=r"cameras\.folders"):
        inside(Path("x"), [], setting="cameras.folders")


def test_pinned_keeps_what_follows_the_host() -> None:
    target = check_address("https://a.example/p/a/t/h?q=1&r=2", WEBHOOKS, resolve=resolves(PUBLIC))
    parts = urlsplit(target.pinned()[0])
    assert (parts.path, parts.query) == ("/p/a/t/h", "q=1&r=2")
