# Everything starts here. `make run` shows the product at work; `make test` proves it.
# Both set themselves up on first use and need no network after that.

PY      := .venv/bin/python
CUTCARD := .venv/bin/cutcard
LOCK    := $(PY) -m uv pip compile --quiet --upgrade --universal --python-version 3.11 \
           --generate-hashes --no-header --no-annotate pyproject.toml

.PHONY: run quick test lint hil board micropython bench explore soak docs pages lock clean
run: .venv/ready
	$(CUTCARD) table run $(if $(PORT),--rulebook nz-division-2 --cards $(PORT))
	@echo
	@echo "To type cutcard yourself in this terminal:  source .venv/bin/activate"

# Style, and the tests of rules, journals and machine files: under 40 s on two idle cores.
QUICK := engine irregularities side_wagers rulebooks register cases_format journal machines
quick: .venv/ready-test
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m pytest -n 2 -q $(QUICK:%=host/tests/%)

# A worker runs neighbouring tests, which share devices, images and compiled code.
test: .venv/ready-test lint
	$(PY) -m pytest -n 2 --dist worksteal

lint: .venv/ready-test .stubs/ready
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy host hil_tests rng_certification docs examples
	$(PY) -m mypy --config-file mypy-firmware.ini
	$(PY) -m mypy --config-file= --strict firmware/interpreter/build.py
	$(PY) -m docs.site.interface_baseline

.venv/ready: requirements.lock pyproject.toml
	@.ci/set-up requirements.lock
	@touch $@

.venv/ready-test: requirements-test.lock .venv/ready
	@.ci/set-up requirements-test.lock
	@.ci/set-up-node
	@.ci/set-up-wheelhouse
	@.ci/set-up-system
	@.ci/set-up-chip
	@touch $@ .venv/ready

# MicroPython's types, for checking the firmware, separate from the host's.
.stubs/ready: requirements-stubs.lock .venv/ready
	@echo "Installing MicroPython's type stubs ..."
	@rm -rf .stubs
	@$(PY) -m pip install -qq --disable-pip-version-check --no-deps --require-hashes \
	    --target .stubs -r requirements-stubs.lock
	@touch $@

# The tests that need a device: on the bench, with PORT=chip: on an emulated board, or with
# PORT=/dev/ttyACM0 on a board. ARGS selects some: ARGS="-k jam", ARGS=hil_tests/test_faults.py.
hil: .venv/ready-test
	$(PY) -m pytest -n 2 $(if $(filter hil_tests%,$(ARGS)),,hil_tests) \
	    $(if $(PORT),--port $(PORT) -n 0) $(ARGS)

# The files that turn a Pico or Pico 2 into a machine, in build/board: see docs/how-to/bring-up.md.
MACHINE ?= carousel-60
board: .venv/ready
	@firmware/cutcard_firmware/boards/rp2/build $(MACHINE) build/board

# MicroPython itself for Pico and Pico 2, from Debian's sources, in build/micropython: see
# docs/how-to/bring-up.md. Two or three minutes the first time.
micropython:
	@python3 firmware/interpreter/build.py

# Speed and memory figures, each with a limit or a peer measured in the same run. A figure that misses
# its limit is printed as missed, and the others still run.
bench: .venv/ready-test
	@missed=0; for figures in hil_tests.figures rng_certification.sp800_22.speed rng_certification.twin.speed cutcard.edge.game.speed cutcard.edge.simulate.speed cutcard.console.bench; \
	    do $(PY) -m $$figures || missed=1; done; exit $$missed

# Every test with random inputs, with new ones. The examples that fail are kept in
# .hypothesis/examples, and the next run tries them first.
TIMES ?= 10
explore: .venv/ready-test
	$(PY) -m pytest -n 2 -o timeout=7200 --explore $(TIMES) -m hypothesis

# The long tests:
# - a million mutated frames, torn writes, 300 times the histories;
# - new random inputs for every test that has them;
# - all of hil_tests on the emulated chip, and a day of its time;
# - eight tables at one meter for eight thousand rounds, with three thousand of them killed;
# - a million rounds of every variant through engine and simulator;
# - an hour of fuzzing.
soak: .venv/ready-test
	$(PY) -m pytest -n 2 -o timeout=7200 --explore 300 firmware/tests/test_histories.py \
	    firmware/tests/test_controller_histories.py
	$(MAKE) explore TIMES=30
	$(PY) -m pytest -n 2 -o timeout=7200 -m soak hil_tests firmware rng_certification
	$(PY) -m pytest -n 2 -o timeout=7200 hil_tests --port chip:
	$(PY) -m pytest -o timeout=7200 -m soak host/tests/pages host/tests/meters
	CUTCARD_METER_ROUNDS=1000 $(PY) -m pytest -n 2 -o timeout=7200 host/tests/meters/test_soak.py
	$(PY) -m pytest -n 2 -o timeout=7200 -m soak host/tests/edge
	cd host && ../$(PY) -m tests.edge.simulate.soak --record
	cd host && ../$(PY) -m tests.fuzz.run --seconds 3600
	$(PY) -m rng_certification.soak --number 1000 --kept build/good-sources.json
	$(PY) -m rng_certification.planted.power --seeds 20 --record

# Every generated page, picture and section of docs/, and the list of faults in the message schema.
pages: .venv/ready-test
	$(PY) -m docs.site.generate

# The documentation as a site with search in build/site, to open from the folder. A dead link is an error.
docs: .venv/ready-test
	$(PY) -m sphinx -q -W --keep-going -b html -c docs/site . build/site
	@echo "Open build/site/index.html"

# The lock files have exact versions and hashes, and no download addresses.
lock: .venv/ready
	$(PY) -m pip install --quiet uv
	$(LOCK) -o requirements-light.lock
	$(LOCK) --extra all --extra build -o requirements.lock
	$(LOCK) --extra all --extra build --extra docs --extra test -o requirements-test.lock

clean:
	rm -rf .venv .stubs build
