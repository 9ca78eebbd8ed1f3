"""Tables watched while they are played: from an open source to what is on disk at once and in the database soon.

`table` is the way of one table; the other modules are what it works with: how a table stands and is taken up again (`standing`, `lying`, `rejoin`), what is recorded when
(`closing`, `recorder`, `spool`), the picture people look at (`picture`), and what becomes of a camera or a program that fails (`camera_faults`, `failing`).
"""
