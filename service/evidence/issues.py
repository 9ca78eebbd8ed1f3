"""What a verification can find, each with its own name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What was done to evidence."""

    FILE_CHANGED = "file_changed"
    """A file of a bundle is not the one that was sealed."""
    FILE_MISSING = "file_missing"
    """A file of a bundle is gone, and no rule of retention deleted it."""
    FILE_ADDED = "file_added"
    """A file or folder lies there that does not belong there."""
    FILE_RENAMED = "file_renamed"
    """A file of a bundle has another name."""
    MANIFEST_CHANGED = "manifest_changed"
    """The list of a bundle's files is not the one that was sealed."""
    SEAL_CHANGED = "seal_changed"
    """A bundle's seal is not the one that was written."""
    BUNDLE_MISSING = "bundle_missing"
    """A bundle is gone, and no rule of retention deleted it."""
    BUNDLE_ADDED = "bundle_added"
    """A bundle lies there that the chain does not know."""
    BUNDLE_SWAPPED = "bundle_swapped"
    """A bundle holds what belongs to another."""
    LINK_CHANGED = "link_changed"
    """A line of the chain is not the one that was signed."""
    LINK_REMOVED = "link_removed"
    """A line of the chain is gone from between others."""
    LINK_REORDERED = "link_reordered"
    """A line of the chain stands in another place."""
    LINK_DUPLICATED = "link_duplicated"
    """A line of the chain stands there twice."""
    LINK_UNSIGNED = "link_unsigned"
    """A line of the chain was added without the key."""
    CUT_OFF = "cut_off"
    """The end of the chain is gone."""
    FORKED = "forked"
    """Two histories were signed with one key: an old copy was put back and written on."""
    HEAD_CHANGED = "head_changed"
    """A head is not what was written."""
    HEAD_FORGED = "head_forged"
    """A head is not signed by the key."""
    HEAD_REMOVED = "head_removed"
    """A head is gone."""
    HEAD_REPLAYED = "head_replayed"
    """A head stands there again, or in another place."""
    TORN = "torn"
    """A file ends in the middle of a line."""
    KEY_CHANGED = "key_changed"
    """The public key in the folder is not the chain's."""
    LINKED = "linked"
    """A symbolic link, a device or anything else that is no plain file."""
    BAD_NAME = "bad_name"
    """A name that would be written outside its folder, or that no bundle uses."""
    ZIP_CHANGED = "zip_changed"
    """An archive is not in the one form that is written here."""


@dataclass(frozen=True, slots=True, order=True)
class Issue:
    """Something that is not as it was written: what, where, and the same in a sentence."""

    kind: Kind
    where: str
    text: str
