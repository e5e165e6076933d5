# Two commands: `make demo` and `make test`. Both do all the set-up; both can be run again at any time.
