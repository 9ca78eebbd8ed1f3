"""The commands of `pitwatch`, by what they are about; `service.cli` puts them together."""
