"""Many machines: what a Ray cluster (extra `cluster`) runs for us. On one machine no Ray is needed."""
