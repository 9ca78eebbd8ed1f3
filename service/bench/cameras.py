"""A film played as cameras play: H.264 in MPEG-TS over HTTP, at the pace of its own time stamps, over and over.

Every connection is a camera of its own that begins at the film's beginning. Packets are passed on as they are, so that playing
costs next to nothing beside what is measured.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import av

GROUP = 30
"""Frames from key frame to key frame."""


def thinned(video: Path, out: Path, fps: int, seconds: float) -> int:
    """Write the first seconds of a film anew with fewer frames a second, as H.264; how many frames it has."""
    written, encoder = 0, None
    with av.open(str(video)) as given, av.open(str(out), "w") as container:
        for frame in given.decode(video=0):
            t_s = float(frame.time or 0.0)
            if t_s >= seconds:
                break
            if encoder is None:
                encoder = container.add_stream(
                    "libx264", rate=fps, options={"preset": "veryfast", "crf": "20", "g": str(GROUP), "bf": "0"}
                )
                encoder.width, encoder.height, encoder.pix_fmt = frame.width, frame.height, "yuv420p"
            if t_s + 1e-6 < written / fps:
                continue
            picture = frame.reformat(format="yuv420p")
            picture.pts, picture.time_base = written, Fraction(1, fps)
            container.mux(encoder.encode(picture))
            written += 1
        if encoder is not None:
            container.mux(encoder.encode(None))
    return written


@contextmanager
def cameras(film: Path) -> Iterator[str]:
    """Serve a film on this machine; the address that every camera is reached at."""

    class Playing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "video/mp2t")
            self.end_headers()
            try:
                _play(film, self.wfile)
            except OSError:
                return  # whoever watched is gone

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Playing)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="cameras", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/film.ts"
    finally:
        server.shutdown()
        server.server_close()


class _Out:
    """What the muxer writes to; a live stream cannot be sought in."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, content: bytes) -> int:
        self._file.write(content)
        return len(content)


def _play(film: Path, out: Any) -> None:
    with av.open(_Out(out), "w", format="mpegts", options={"flush_packets": "1"}) as container:
        stream, began_s, offset = None, time.monotonic(), 0
        while True:
            with av.open(str(film)) as given:
                source = given.streams.video[0]
                stream = stream or container.add_stream_from_template(source)
                length = 0
                for packet in given.demux(source):
                    if packet.dts is None or packet.pts is None:
                        continue
                    length = max(length, packet.pts + (packet.duration or 0))
                    packet.pts, packet.dts = packet.pts + offset, packet.dts + offset
                    wait_s = began_s + float(packet.pts * packet.time_base) - time.monotonic()
                    if wait_s > 0:
                        time.sleep(wait_s)
                    packet.stream = stream
                    container.mux(packet)
            offset += length


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m service.bench.cameras FILM`: print the address, and play until ended."""
    options = argparse.ArgumentParser(prog="python -m service.bench.cameras")
    options.add_argument("film", type=Path)
    with cameras(options.parse_args(arguments).film) as address:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()
        threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
