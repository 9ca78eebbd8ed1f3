"""From rests to events: what happened in an area, when, and by whose hand."""
