"""Dated, cited data files of the law."""
