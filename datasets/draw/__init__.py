"""Drawn cards, backs, chips, felts and hands."""
