# plinth: build, test, try. `make` on its own says what there is.

export PATH := $(PATH):$(shell go env GOPATH)/bin
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LINT    := go tool -modfile=tools/go.mod

.PHONY: help build page quickstart test unit cost lint test-page bench bench-page truth fuzz kill vm clean packages test-packages

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: page ## build bin/plinth, and the page in it where npm is there
	@go build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/plinth ./cmd/plinth

quickstart: packages build ## what does a commit cost here, and on a gp3 volume? (two minutes and a half)
	@bin/plinth run quickstart

page: ## build the page's program (web/), when it changed
	@scripts/page

test: packages test-packages lint unit test-page ## everything the project checks

unit: ## the tests, with the race detector where anything is concurrent
	@. scripts/test-env && $(TEST) -race $$(go list ./... | grep -v -E '$(SEQUENTIAL)|internal/cli$$')
	@. scripts/test-env && $(TEST) $$(go list ./... | grep -E '$(SEQUENTIAL)')
	@# from end to end mostly without it: a plinth that is started hundreds of times waits most of the time
	@. scripts/test-env && $(TEST) -parallel 3 -skip '$(END_TO_END)' ./internal/cli
	@. scripts/test-env && $(TEST) -race -run '$(END_TO_END)' ./internal/cli

TEST := go test -vet=off -timeout 25m # lint vets

# Packages that start no goroutine: the race detector makes them up to ten times slower, and has nothing to see.
SEQUENTIAL := internal/(chart|device|experiment|figure|hint|inspect|knob|metric|page|page/pagetest|page/typescript|profile|prose|report|stats|unit|validity|verdict|verdict/truth)$$

# What is driven from end to end with the race detector.
END_TO_END := ^TestScripts$$/^(run|resume|sql)$$|^TestRunServe$$|^TestTuneScripts$$|^TestKillTuned$$

cost: ## what being watched costs, in CPU seconds
	@. scripts/test-env && PLINTH_COST=1 go test -count=1 -run TestTelemetryCost -v ./internal/cli

lint: ## linters: the floors of the house (depguard) among them
	@$(LINT) golangci-lint run ./...
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
