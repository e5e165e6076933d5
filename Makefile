# Two commands: `make demo` and `make test`. Each does all the set-up; each can be run again at any time.

CARGO  ?= cargo
PYTHON ?= python3
PREFIX ?= $(HOME)/.local
BUDGET ?= 60s
# Property tests draw the same cases each time; another seed, or none, draws others.
export PROPTEST_RNG_SEED ?= 42
TARGET  = $(or $(CARGO_TARGET_DIR),target)

# The build links a CPU libtorch; the script finds one or fetches it into the user's cache, once.
WITH_LIBTORCH = LIBTORCH="$$($(PYTHON) tools/libtorch.py)" && export LIBTORCH

.PHONY: help demo test build check bless install clean

help:
	@echo "make demo      build, then the main job: a search on the embedded adult table ($(BUDGET))"
	@echo "make test      build, then all tests"
	@echo "make build     $(TARGET)/release/autotune and autotune-trial"
	@echo "make check     format, lints and documentation, warnings as errors"
	@echo "make bless     accept changed snapshots"
	@echo "make install PREFIX=DIR    a tree with bin/ and lib/ that can be moved"

demo: build
	$(TARGET)/release/autotune --dataset adult --budget $(BUDGET)

test: build
	$(WITH_LIBTORCH) && $(CARGO) test --release --workspace --locked

build:
	$(WITH_LIBTORCH) && $(CARGO) build --release --workspace --locked

check:
	$(CARGO) fmt --all --check
	$(WITH_LIBTORCH) && $(CARGO) clippy --release --workspace --all-targets --locked -- -D warnings
	$(WITH_LIBTORCH) && RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --workspace --no-deps --locked --quiet

bless:
	$(WITH_LIBTORCH) && INSTA_UPDATE=always $(CARGO) test --release --workspace --locked

install: build
	mkdir -p "$(PREFIX)/bin" "$(PREFIX)/lib/autotune"
	install -m 755 $(TARGET)/release/autotune $(TARGET)/release/autotune-trial "$(PREFIX)/bin/"
	lib="$$($(PYTHON) tools/libtorch.py --lib)" && \
	for name in libtorch_cpu.so libc10.so libgomp*.so* libcupti.so.13 libcudart.so.13; do \
		for file in "$$lib"/$$name; do [ -e "$$file" ] && cp -L "$$file" "$(PREFIX)/lib/autotune/"; done; \
	done; true

clean:
	$(CARGO) clean
