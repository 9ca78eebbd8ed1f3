"""What is printed when the service starts: where the screens are, and how the first one comes in."""

from __future__ import annotations

from collections.abc import Callable

from service.access.access import Access
from service.access.journal import Deed
from service.access.people import FIRST_NAME


def say_how_to_come_in(access: Access, address: str, *, by_link: bool, say: Callable[[str], None]) -> None:
    """Prints the address; to who starts it the first time also the way in, once, on the terminal and nowhere else.

    Args:
        access: who may come in.
        address: where the screens are.
        by_link: sign in whoever follows the printed link as the first account, instead of by a one-time password.
        say: prints a line.
    """
    password = None if by_link else access.people.begin(now=access.now())
    if password is not None:
        access.journal.write(Deed("people.add", f"{FIRST_NAME}, at first start", "(terminal)"), at=access.now())
        say(
            f"First start: sign in as [b]{FIRST_NAME}[/b] with this one-time password, shown only now: [b]{password}[/b]"
        )
    if not by_link:
        say(f"Screens: {address}/   (stop with Ctrl-C)")
        return
    access.people.begin_without_password(now=access.now())
    minutes = round(access.settings.session.ticket.total_seconds() / 60)
    say(f"Screens: {address}/?ticket={access.link()}")
    say(f"This link signs you in once, within {minutes} minutes (stop with Ctrl-C)")
