import pytest

from rules.cards import DECK_52, DECK_53, JOKER, CardError, format_cards, parse_card, parse_cards, rank_words


def test_every_card_reads_back_as_written() -> None:
    assert [parse_card(str(card)) for card in DECK_53] == list(DECK_53)
    assert parse_card("Th") is parse_card("Th")


def test_decks_have_each_card_once() -> None:
    assert (len(set(DECK_52)), len(set(DECK_53))) == (52, 53)
    assert JOKER not in DECK_52


def test_ranks_and_names() -> None:
    assert (parse_card("Ah").rank, parse_card("2c").rank, parse_card("Jo").rank) == (14, 2, 0)
    assert parse_card("Qd").words == "queen of diamonds"
    assert (rank_words(6, plural=True), rank_words(10, plural=True)) == ("sixes", "tens")
    assert format_cards(parse_cards("Th 9c Jo")) == "Th 9c Jo"


@pytest.mark.parametrize("text", ["10h", "th", "TH", "1h", "T", "", "Thh", "Jx", "jo", " Th", None, 7, ["Th"]])
def test_what_is_no_card_is_refused_by_name(text: object) -> None:
    with pytest.raises(CardError, match="is no card"):
        parse_card(text)  # type: ignore[arg-type]


def test_a_card_twice_is_refused() -> None:
    with pytest.raises(CardError, match="9c is there twice"):
        parse_cards(["9c", "Th", "9c"])
