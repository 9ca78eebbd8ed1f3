# Python 3.11 and make are all a fresh machine needs; the rest is installed into .venv from locked versions.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Each folder of tests is a run of its own, for they name their helpers alike; the service's use those of rules and vision.
TESTS := calibration datasets house models rules service vision
# Where it is set every process compiles the whole program anew, and the tests start many.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test lint types format eval bench fuzz docs train clean

run: $(STAMP)  ## review the bundled clip, print the findings, then serve the screens
	$(BIN)/pitwatch run

test: $(STAMP)  ## all tests but the slow ones
	$(BIN)/python -m pytest -p tests.longest_first -m "not slow" -n 2 --dist loadfile --no-loadscope-reorder

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(STAMP)
	$(BIN)/mypy
	for room in $(TESTS); do MYPYPATH=tests/$$room:tests/rules:tests/vision $(BIN)/mypy tests/$$room || exit 1; done

eval: $(STAMP)  ## long: violations found and false alerts from video, cards in its frames and on photographs, rounds told with mistakes, calibration
	$(BIN)/python -m datasets.score.evaluate
	$(BIN)/python -m datasets.score.frames var/eval/*/ --every 6
	$(BIN)/python -m datasets.score.courses
	$(BIN)/python -m datasets.score.spreads
	$(BIN)/python -m datasets.score.month --postgres
	$(BIN)/python -m datasets.score.calibration

bench: $(STAMP)  ## speed, as ratios within one run
	$(BIN)/python -m datasets.score.bench
	$(BIN)/python -m service.bench.live
	$(BIN)/python -m service.bench.feed
	$(BIN)/python -m service.bench.streams
	$(BIN)/python -m service.bench.kills
	$(BIN)/python -m service.bench.house_kills
	$(BIN)/python -m service.bench.memory

fuzz: $(STAMP)  ## long: every route asked with whatever its description allows
	$(BIN)/pytest -m slow tests/service/test_openapi_fuzz.py

docs: $(STAMP)  ## rewrite the generated pages of docs/
	$(BIN)/python -m service.docs

$(STAMP): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Pitwatch needs Python 3.11 or newer: make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	touch $(STAMP)

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis var
