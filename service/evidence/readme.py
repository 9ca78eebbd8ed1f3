"""The text that lies in every vault and every bundle, for a reader who has nothing but the folder."""

from __future__ import annotations

from service.evidence.bundle import NOTICE


def readme() -> bytes:
    """README.txt of a vault."""
    return f"""EVIDENCE OF PITWATCH ALERTS

{NOTICE}

bundles/      one folder for each alert; open its index.html in a browser
chain.jsonl   one line for each bundle stored, deleted by retention, held or released; each line names the one before
heads.jsonl   signed statements of how many lines the chain has and what the last one is
public.pem    the Ed25519 key that the signatures are checked with; compare it with one that you got another way

Check all of it, without network or database:

    pitwatch verify FOLDER --key PUBLIC.pem

Without Pitwatch, a bundle's files are checked against its manifest.json with sha256sum, the manifest's SHA-256 against
its line in chain.jsonl, and a head's signature with any Ed25519 tool. The exact bytes are described in docs/evidence.md
of Pitwatch.
""".encode()
