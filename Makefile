# Everything starts here. `make run` shows the product at work; `make test` proves it.
# Both set themselves up on first use and need no network after that.

PY      := .venv/bin/python
CUTCARD := .venv/bin/cutcard
LOCK    := $(PY) -m uv pip compile --quiet --upgrade --universal --python-version 3.11 \
           --generate-hashes --no-header --no-annotate pyproject.toml

.PHONY: run test lint bench soak lock clean
run: .venv/ready
	$(CUTCARD) --help

test: .venv/ready-test lint
	$(PY) -m pytest -n 2

lint: .venv/ready-test
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy host rng_certification

.venv/ready: requirements.lock pyproject.toml
	@.ci/set-up requirements.lock
	@touch $@

.venv/ready-test: requirements-test.lock .venv/ready
	@.ci/set-up requirements-test.lock
	@touch $@ .venv/ready

# The lock files hold exact versions and hashes and name no place to fetch from.
lock: .venv/ready
	$(PY) -m pip install --quiet uv
	$(LOCK) --extra build -o requirements.lock
	$(LOCK) --extra build --extra test -o requirements-test.lock

clean:
	rm -rf .venv .stubs build
