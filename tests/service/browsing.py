"""The service in a process of its own, and a browser that complains, for the tests of the screens."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic"]
NO_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed; install chromium to test the screens"
)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str], port: int, *, lines: int, ends_within_s: float = 15.0, complaints: list[str] | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Starts a service and ends it: its address once it answers, and the lines it printed first.

    Args:
        command: that starts it at `port`.
        port: where it listens.
        lines: how many it prints before it answers.
        ends_within_s: when it must have ended once told to.
        complaints: gets what it wrote to its standard error.
    """
    stderr = None if complaints is None else subprocess.PIPE
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True)
    address = f"http://127.0.0.1:{port}"
    try:
        assert server.stdout is not None
        printed = [server.stdout.readline() for _ in range(lines)]
        for _ in range(600):
            assert server.poll() is None, "the service ended by itself"
            try:
                if httpx.get(f"{address}/health", timeout=1.0).status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        yield address, printed
    finally:
        server.terminate()
        _, said = server.communicate(timeout=ends_within_s)
        if complaints is not None:
            complaints.append(said)


@contextmanager
def opened_page(
    address: str,
    *,
    size: tuple[int, int],
    wait_ms: int,
    complains: Callable[[Any], bool] = lambda said: False,
    cookie: Mapping[str, str] | None = None,
    script: str = "",
) -> Iterator[Any]:
    """A browser's page at a service: an error in it, a complaint on its console or a request to another host fails the test.

    Args:
        address: of the service.
        size: of the window, px.
        wait_ms: how long an action may take.
        complains: which lines of the console are complaints.
        cookie: to come in with.
        script: run before the scripts of every page.
    """
    from playwright.sync_api import sync_playwright

    faults: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, base_url=address)
        if cookie is not None:
            context.add_cookies([{"name": cookie["name"], "value": cookie["value"], "url": cookie["url"]}])
        page = context.new_page()
        page.set_default_timeout(wait_ms)
        if script:
            page.add_init_script(script)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console",
            lambda said: faults.append(f"{said.text} {said.location.get('url', '')}") if complains(said) else None,
        )
        own = (address, "data:", "blob:")
        page.on("request", lambda r: faults.append(r.url) if not r.url.startswith(own) else None)
        try:
            yield page
        finally:
            browser.close()
    assert not faults, faults
