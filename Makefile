# Each target sets up what it needs in .venv and then does one thing. CI calls the same targets.
PYTHON ?= python3
BIN := .venv/bin
EXTRAS ?= check,test
comma := ,
NATIVE := $(wildcard src/regard/core/kernels/csrc/*)
# Compiled modules are kept, as on a reader's own machine: the tests start some thousand processes that import regard.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help setup run test test-tools test-slow check peers bench docs dist clean

help:       ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

setup: .venv/python     ## install regard and what its developers need, at once; EXTRAS says what
	$(PIP) install --editable '.[$(EXTRAS)]'
	@touch .venv/run
	@touch $(addprefix .venv/,$(subst $(comma), ,$(EXTRAS)))

run: .venv/run          ## solve and prove every bundled problem, then grade a student's answers
	@mkdir -p build
	@$(BIN)/regard solve --all -o build/solutions.html
	@echo
	@$(BIN)/regard check homework-2 || test $$? = 1  # 1: some answers are wrong, as is shown

test: .venv/test        ## run the tests
	$(BIN)/python -m pytest -m "not slow and not tools" --numprocesses auto --dist worksteal

test-tools: .venv/test .venv/browser .venv/graders  ## run the tests that start a browser, LaTeX, JupyterLab or a grader
	$(BIN)/python -m pytest -m "tools and not slow" --numprocesses auto --dist worksteal

test-slow: .venv/test .venv/fuzz  ## run the tests that take longer
	$(BIN)/python -m pytest -m slow -s

check: .venv/check      ## lint, types, who imports whom, the kernel in C under sanitizers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/house.py --check
	@$(MAKE) --no-print-directory .venv/test_kernel .venv/test_pool
	.venv/test_kernel
	.venv/test_pool

# The kernel's own tests, with the sanitizers that notice what the comparison of results would not.
SANITIZED = $(CC) -g -O1 -std=gnu11 -Wall -Wextra -Werror -Wno-psabi -fno-omit-frame-pointer -pthread
.venv/test_kernel: tests/native/test_kernel.c tests/native/statistics_cases.h $(NATIVE) | .venv/python
	$(SANITIZED) -fsanitize=address,undefined -fno-sanitize-recover=all $< -o $@ -lm
.venv/test_pool: tests/native/test_pool.c $(NATIVE) | .venv/python
	$(SANITIZED) -fsanitize=thread $< -o $@ -lm

peers: .venv/peers      ## install torch, JAX and ONNX Runtime, to compare with

bench: .venv/peers .venv/bench .venv/cluster .venv/lab .venv/browser  ## measure speed against them, and designs against solvers
	@$(BIN)/python bench/attention.py
	@$(BIN)/python bench/small_calls.py
	@$(BIN)/python bench/weight_statistics.py
	@$(BIN)/python bench/memory.py
	@$(BIN)/python bench/growth.py
	@$(BIN)/python bench/accuracy.py
	@$(BIN)/python bench/design.py
	@$(BIN)/python bench/noise.py
	@$(BIN)/python bench/positions.py
	@$(BIN)/python bench/reading.py
	@$(BIN)/python bench/worst_case.py
	@$(BIN)/python bench/inspection.py
	@$(BIN)/python bench/problems.py
	@$(BIN)/python bench/check.py
	@$(BIN)/python bench/cluster.py
	@$(BIN)/python bench/grading.py
	@$(BIN)/python bench/import_time.py
	@$(BIN)/python bench/lab.py

docs: .venv/docs        ## build the documentation into docs/_build
	$(BIN)/sphinx-build --fail-on-warning --keep-going -b html docs docs/_build

dist: .venv/dist        ## build the sdist and both wheels into dist/, and try each wheel by itself
	rm -rf dist build/try build/pure
	$(BIN)/python -m build --outdir dist .
	REGARD_PURE=1 $(BIN)/python -m build --outdir build/pure .
	$(PYTHON) -m venv build/try
	build/try/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl
	cd build/try && bin/regard solve average-two-values --json > answer.json && REGARD_KERNEL=native bin/regard doctor
	build/try/bin/python -m pip --disable-pip-version-check --quiet install --force-reinstall --no-deps build/pure/*-py3-none-any.whl
	cd build/try && bin/regard solve average-two-values --json > pure.json && bin/regard doctor
	mv build/pure/*-py3-none-any.whl dist/

clean:                  ## remove everything that was installed or built
	rm -rf .venv build dist docs/_build src/*.egg-info

# A file .venv/NAME records that the extra NAME is installed for this pyproject.toml.
.venv/python:
	$(PYTHON) -m venv .venv
	@touch $@

.venv/run: .venv/python pyproject.toml setup.py $(NATIVE)
	$(PIP) install --editable .
	@touch $@

.venv/%: .venv/run
	$(PIP) install --editable '.[$*]'
	@touch $@
