"""Two hundred clients on the alert stream: does each get everything, in order, and how late.

`python -m service.bench.streams [--clients N] [--alerts N] [--kind sqlite|postgresql]`. One process serves, another one
records alerts on the same database, so what is measured is the way across processes: from the commit in one to the
line read by a client of the other.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import sys
import time
from datetime import UTC, datetime

import httpx
import uvicorn

from service.access.door import COOKIE
from service.access.roles import Role
from service.bench import simulated
from service.bench.databases import KINDS, database
from service.house import House
from service.store import Store
from service.web.app import create_app

TABLE, PER_S = "sim-01", 5.0


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints; the exit status is 1 where a client missed anything."""
    options = argparse.ArgumentParser(prog="python -m service.bench.streams")
    options.add_argument("--clients", type=int, default=200)
    options.add_argument("--alerts", type=int, default=50)
    options.add_argument("--kind", choices=KINDS, action="append")
    given = options.parse_args(arguments)
    bad = 0
    for kind in given.kind or KINDS:
        with database(kind) as url:
            bad += measure(url, kind, given.clients, given.alerts)
    return 1 if bad else 0


def measure(url: str, kind: str, clients: int, alerts: int) -> int:
    """Serves, records, listens; returns how many clients missed something."""
    Store(url).close()
    port, (told, tell) = _free_port(), os.pipe()
    child = os.fork()
    if child == 0:
        _serve(url, port, tell)
    token = os.read(told, 1000).decode()
    try:
        before_s = _cpu_s(child)
        started_s = time.monotonic()
        got = asyncio.run(_listen_and_record(url, port, token, clients, alerts))
        took_s, cpu_s = time.monotonic() - started_s, _cpu_s(child) - before_s
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    expected = list(range(1, alerts + 1))
    wrong = sum(positions != expected for positions, _ in got)
    late = sorted(1000 * one for _, times in got for one in times)
    sys.stdout.write(
        f"{kind}: {clients} clients, {alerts} alerts each, {clients - wrong} clients got all of them once and in order; from the "
        f"commit in another process to the client: median {late[len(late) // 2]:.0f} ms, p95 {late[int(len(late) * 0.95)]:.0f} ms, "
        f"max {late[-1]:.0f} ms; the serving process used {cpu_s:.1f} s of processor time in {took_s:.0f} s\n"
    )
    sys.stdout.flush()
    return wrong


def _serve(url: str, port: int, tell: int) -> None:
    try:
        house = House(Store(url))
        now = datetime.now(UTC)
        person = house.access.people.add("bench", [(Role.VIEWER, "*")], now=now)
        token = house.access.sessions.open(person.user_id, how="bench", address="127.0.0.1", now=now).text
        os.write(tell, token.encode())
        uvicorn.run(create_app(house, screens=False), host="127.0.0.1", port=port, log_level="error")
    finally:
        os._exit(0)


async def _listen_and_record(
    url: str, port: int, token: str, clients: int, alerts: int
) -> list[tuple[list[int], list[float]]]:
    base = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient() as probe:
        while True:
            try:
                await probe.get(f"{base}/health")
                break
            except httpx.TransportError:
                await asyncio.sleep(0.1)
    committed: dict[int, float] = {}
    ready = asyncio.Semaphore(0)
    listening = [asyncio.create_task(_client(port, token, alerts, committed, ready)) for _ in range(clients)]
    for _ in range(clients):
        await ready.acquire()
    await asyncio.to_thread(_record, url, alerts, committed)
    return list(await asyncio.gather(*listening))


def _record(url: str, alerts: int, committed: dict[int, float]) -> None:
    store = Store(url)
    store.open_run("bench", table_id=TABLE, origin="live", opened_utc=datetime.now(UTC), about={}, game="raise_it_up")
    for number in range(1, alerts + 1):
        store.add_alert("bench", simulated.finding_of(TABLE, number), raised_utc=datetime.now(UTC))
        committed[number] = time.monotonic()
        time.sleep(1 / PER_S)
    store.close()


async def _client(
    port: int, token: str, alerts: int, committed: dict[int, float], ready: asyncio.Semaphore
) -> tuple[list[int], list[float]]:
    """Reads the stream with as little work as can be; positions and how late each came."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET /api/alerts/stream?since_id=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {COOKIE}={token}\r\n\r\n"
    writer.write(head.encode())
    while (await reader.readline()).strip():
        pass
    await reader.readuntil(b"retry")
    ready.release()
    positions: list[int] = []
    late: list[float] = []
    while len(positions) < alerts:
        line = await reader.readline()
        if line.startswith(b"data: "):
            position = json.loads(line.removeprefix(b"data: "))["change"]["position"]
            positions.append(position)
            late.append(max(0.0, time.monotonic() - committed.get(position, time.monotonic())))
    writer.close()
    return positions, late


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _cpu_s(pid: int) -> float:
    """Processor seconds a process has used, from /proc."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
