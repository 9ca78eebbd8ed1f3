"""The Ed25519 key that signs the heads of the chain (RFC 8032): made at the first start, readable by its owner only."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.evidence.canonical import sha256_hex
from service.evidence.errors import EvidenceError


@dataclass(frozen=True, slots=True)
class Verifier:
    """The public half of a key."""

    public: Ed25519PublicKey

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the raw 32 bytes: what people compare over the telephone."""
        return sha256_hex(self._raw())

    @property
    def pem(self) -> bytes:
        """The key as a PEM file that other tools read (`openssl pkey -pubin`)."""
        return self.public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Whether the private half signed this message."""
        try:
            self.public.verify(signature, message)
        except InvalidSignature:
            return False
        return True

    def _raw(self) -> bytes:
        return self.public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


@dataclass(frozen=True, slots=True)
class Signer:
    """The whole key."""

    private: Ed25519PrivateKey

    @property
    def verifier(self) -> Verifier:
        """Its public half."""
        return Verifier(self.private.public_key())

    def sign(self, message: bytes) -> bytes:
        """64 bytes of signature, the same for the same message."""
        return self.private.sign(message)


def read_public(pem: bytes, *, where: object) -> Verifier:
    """A public key from a PEM file.

    Raises:
        EvidenceError: it is none, or none of Ed25519.
    """
    try:
        key = serialization.load_pem_public_key(pem)
    except ValueError as error:
        raise EvidenceError("this is no public key", where=where, do="Give the PEM file of the evidence key") from error
    if not isinstance(key, Ed25519PublicKey):
        raise EvidenceError("this is no Ed25519 key", where=where, do="Give the PEM file of the evidence key")
    return Verifier(key)


def read_signer(path: Path) -> Signer:
    """The key of a file.

    Raises:
        EvidenceError: there is none, others may read it, or it is no Ed25519 key.
    """
    try:
        mode, pem = path.stat().st_mode, path.read_bytes()
    except OSError as error:
        raise EvidenceError(
            f"the evidence key cannot be read ({error.strerror})",
            where=path,
            do="Put it back from your backup, or begin a new chain with another --evidence folder",
        ) from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise EvidenceError("others may read the evidence key", where=path, do="Run: chmod 600 on it")
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError) as error:
        raise EvidenceError("this is no private key", where=path, do="Put it back from your backup") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise EvidenceError("this is no Ed25519 key", where=path, do="Put it back from your backup")
    return Signer(key)


def create_signer(path: Path) -> Signer:
    """Makes a key and its file, mode 600.

    Raises:
        FileExistsError: there is one already.
    """
    signer = Signer(Ed25519PrivateKey.generate())
    pem = signer.private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())
    return signer
