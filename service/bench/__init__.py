"""Measurements of the service: `python -m service.bench.feed`, `.streams`, `.kills`. Nothing of it runs in the service."""
