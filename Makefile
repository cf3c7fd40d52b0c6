# `make help` lists what can be made.  PYTHON names the interpreter to build .venv with.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
TESTS ?= tests

# What runs on compiled modules: residual programs, compilers, explanations, errors, laws.
SPECIALIZER_TESTS := $(patsubst %,tests/cogen/test_%.py,advice advice_order apart api auto barriers call_chains clean \
    clean_passes demand examples explain generate intervals library_calls looking masked pairs results \
    rules_table scheme_target settled several_streams shared_calls sites specialize_errors states textbook whistle words) \
    $(patsubst %,tests/laws/test_%.py,bounds cache cyclic gather generalize generate masked memory specializer)

.DEFAULT_GOAL := help
.PHONY: help demo test quick all-tests quick-tests check long-test fuzz fuzz-bytes mutants sanitize bench compiled wheels site goldens clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/installed ## install into .venv and show a specialization, source to C, on real data
	$(BIN)/python examples/demo.py

test: $(VENV)/installed-dev ## install with the test tools into .venv, lint, type-check, run the tests
	@$(MAKE) --no-print-directory -j 2 check all-tests

quick: $(VENV)/installed-dev ## lint, type-check and the tests marked quick: a minute, while you work
	@$(MAKE) --no-print-directory -j 2 check quick-tests

all-tests: $(VENV)/installed-dev
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(TESTS)

quick-tests: $(VENV)/installed-dev
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "quick and not slow" $(TESTS)

check: $(VENV)/installed-dev ## lint and type-check only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict

long-test: $(VENV)/installed-dev ## the tests with all their cases and many more examples
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --long $(TESTS)

fuzz: $(VENV)/installed-dev ## random programs in all ways, which must agree (COUNT=, SEED=, TIME= seconds, KIND=)
	$(BIN)/python -m tests.fuzz --count $(or $(COUNT),1000) --seed $(or $(SEED),0) \
	    $(if $(TIME),--time $(TIME)) $(addprefix --kind ,$(KIND))

fuzz-bytes: $(VENV)/installed-dev ## mutated inputs for all that reads bytes (COUNT=, SEED=, TIME= seconds, BYTES= of targets)
	$(BIN)/python -m tests.bytefuzz --count $(or $(COUNT),100000) --seed $(or $(SEED),0) \
	    $(if $(TIME),--time $(TIME)) $(BYTES)

mutants: $(VENV)/installed-dev ## small changes of modules, which tests must notice (MODULE=, COUNT= of each, SEED=)
	$(BIN)/python -m tests.mutation $(MODULE) $(if $(COUNT),--count $(COUNT)) --seed $(or $(SEED),0)

sanitize: $(VENV)/installed-dev ## compiled code under address, undefined behaviour and thread sanitizer (SANITIZER=address or thread, ONLY= words in tests' paths)
	$(BIN)/python -m tests.sanitizers $(SANITIZER) $(addprefix --only ,$(ONLY))

bench: $(VENV)/installed ## run the benchmarks and print ratios
	$(BIN)/cogen bench

compiled: $(BIN)/python ## a wheel with compiled modules in dist, and tests of the specializer on it in build (COMPILED_TESTS=)
	rm -rf build/suite build/compiled-venv dist/*.whl
	HATCH_BUILD_HOOK_ENABLE_CUSTOM=true $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(PYTHON) -m venv build/compiled-venv
	for wheel in dist/*.whl; do \
	    build/compiled-venv/bin/python -m pip install --quiet --disable-pip-version-check "$$wheel[signals,dev]"; \
	done
	mkdir -p build/suite
	cp -r tests examples docs buildhook pyproject.toml README.md build/suite
	cd build/suite && ../compiled-venv/bin/python -m pytest -q -n $(WORKERS) --dist worksteal $(or $(COMPILED_TESTS),$(SPECIALIZER_TESTS))

wheels: $(VENV)/installed-dev ## platform wheels in dist, with kernels of the named formats, for x86-64 and aarch64 (by ziglang)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "ziglang>=0.13"
	for machine in x86_64 aarch64; do \
	    COGEN_WHEEL=kernels COGEN_WHEEL_MACHINE=$$machine HATCH_BUILD_HOOK_ENABLE_CUSTOM=true \
	    $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . || exit 1; \
	done

site: $(VENV)/installed-dev ## build the documentation as a site in build/site
	$(BIN)/python -m sphinx -q -E -W -b html docs build/site

goldens: $(VENV)/installed-dev ## rewrite the golden files (review the difference like code)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m golden --update-goldens $(TESTS)

clean: ## remove .venv and everything built
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache demo-output

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[signals]'
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[signals,dev]'
	@touch $@ $(VENV)/installed
