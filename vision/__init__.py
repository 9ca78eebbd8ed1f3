"""From frames to events: source, gate, detection, reading, tracking, observation."""
