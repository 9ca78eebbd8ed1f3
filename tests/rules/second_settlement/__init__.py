"""A second settlement of the four games, written from the chapters alone, before the first was looked at (ADR 13).

It shares no code and no data with `rules/`: its paytables are typed in from the text of the chapters, and it may import the
standard library and itself only (`test_second_settlement.py` holds that). Where a text may be read in more than one way it
follows the first value of each switch in docs/settle.md, and no other. The wagers are named as they are there.

`raise_it_up`, `caribbean_stud`, `let_it_ride` and `dj_wild` settle a round; `drawing` draws cards and amounts that lie at the
edges of the law, `drawn_rounds` whole rounds of them.
"""
