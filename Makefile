# plinth: build, test, try. `make` on its own says what there is.

export PATH := $(PATH):$(shell go env GOPATH)/bin
# The same for all, so that what one command compiled another need not.
export GOFLAGS ?= -trimpath
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

.PHONY: help build page quickstart check test soak measure lint test-page bench bench-page truth fuzz kill vm clean packages test-packages

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: page ## build bin/plinth, and the page in it where npm is there
	@go build -ldflags "-X main.version=$(VERSION)" -o bin/plinth ./cmd/plinth

quickstart: packages build ## what does a commit cost here, and on a gp3 volume? (two minutes and a half)
	@bin/plinth run quickstart

page: ## build the page's program (web/), when it changed
	@scripts/page

check: ## before each commit: format, linters, types, tests without a server or a browser (a minute and a half)
	@scripts/check

test: packages test-packages build ## everything the project checks (a quarter of an hour)
	@. scripts/test-env && go run ./scripts/gate test

soak: packages test-packages ## the tests again and again, quiet and beside load; SOAK has flags: make soak SOAK=-h
	@. scripts/test-env && go run ./scripts/gate soak $(SOAK)

measure: packages test-packages ## what only a quiet machine can answer; writes docs/measured.md
	@. scripts/test-env && go run ./scripts/gate measure $(MEASURE)

lint: ## linters: the floors of the house (depguard) among them
	@go tool -modfile=tools/go.mod golangci-lint run --allow-parallel-runners ./...
	@GOOS=darwin go build -o /dev/null ./cmd/plinth # reading records works there, too
	@scripts/vulnerabilities

test-page: build ## the page's lint, types, unit tests, and tests in Chromium
	@scripts/test-page

bench-page: build ## how soon the page of 500 runs can be used, in Chromium
	@cd web && node test/bench.js

bench: ## speed and memory, as Go benchmarks
	@go test -run '^$$' -bench . -benchmem ./...

truth: ## how true verdicts are: the tables of docs/method.md, from simulated machines (some minutes)
	@GOGC=400 go run ./internal/verdict/truth/cmd docs/method.md

kill: packages ## kill plinth a hundred times at random moments, and look what is left
	@PLINTH_KILLS=100 go test -count=1 -timeout 30m -run TestKill -v ./internal/cli

vm: ## test what a kernel may lack (md, nbd, memory nodes), in an emulated machine (slow; needs 300 MB)
	@. scripts/test-env && scripts/vm-test

fuzz: ## fuzz every parser for a minute
	@scripts/fuzz 60s

clean: ## remove what was built
	@rm -rf bin .cache web/node_modules web/dist/page.js web/dist/page.css

# Packages that plinth runs (PostgreSQL with pgbench), and that its tests need beyond.
packages:
	@scripts/packages

test-packages:
	@scripts/test-packages
