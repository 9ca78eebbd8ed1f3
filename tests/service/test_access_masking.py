"""No secret in what is written down: addresses, logs, tracebacks."""

from __future__ import annotations

import io
import logging

import pytest

from service.access.masking import MaskingFilter, mask_logs, masked, masked_address, masked_values

SECRET = "hunter22hunter22"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"rtsp://admin:{SECRET}@10.0.0.5/live", "rtsp://***@10.0.0.5/live"),
        (f"rtsp://admin:p@{SECRET}@10.0.0.5/live", "rtsp://***@10.0.0.5/live"),
        (f"postgresql+psycopg://pw:{SECRET}@db/pitwatch", "postgresql+psycopg://***@db/pitwatch"),
        (f"GET /?ticket={SECRET} HTTP/1.1", "GET /?ticket=*** HTTP/1.1"),
        (f"/auth/callback?code={SECRET}&state={SECRET}", "/auth/callback?code=***&state=***"),
        (f'{{"password": "{SECRET}", "name": "ann"}}', '{"password": "***", "name": "ann"}'),
        (f"client_secret={SECRET}", "client_secret=***"),
        (f"id_token={SECRET}", "id_token=***"),
        (f"authorization: Bearer {SECRET}", "authorization: Bearer ***"),
        (f"key pwk_AbCd1234_{SECRET}{SECRET} was used", "key pwk_AbCd1234*** was used"),
        ("state: watching, code: 404, 3 tokens", "state: watching, code: 404, 3 tokens"),
        ("clips/night.mp4 at http://host/a@b", "clips/night.mp4 at http://host/a@b"),
    ],
)
def test_secrets_are_taken_out_of_texts(text: str, kept: str) -> None:
    assert masked(text) == kept


def test_values_of_json_are_masked() -> None:
    about = {"source": f"rtsp://a:{SECRET}@cam/1", "tries": [f"http://a:{SECRET}@cam"], "n": 3}
    assert SECRET not in str(masked_values(about))
    assert masked_values(about)["n"] == 3
    assert masked_address("riu-07") == "riu-07"


def test_nothing_secret_reaches_a_log() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    logger = logging.getLogger("tests.masking")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        mask_logs(logger)
        mask_logs(logger)
        assert sum(isinstance(one, MaskingFilter) for one in handler.filters) == 1
        logger.warning("camera %s is lost", f"rtsp://admin:{SECRET}@cam/1")
        try:
            raise RuntimeError(f"cannot open rtsp://admin:{SECRET}@cam/1 with password={SECRET}")
        except RuntimeError:
            logger.exception("the table failed, all of it")
    finally:
        logger.removeHandler(handler)
    said = out.getvalue()
    assert SECRET not in said
    assert "rtsp://***@cam/1 is lost" in said
    assert "Traceback" in said
    assert "all of it" in said
