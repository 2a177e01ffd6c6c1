# plinth: build, test, try. `make` alone lists the targets.

export PATH := $(PATH):$(shell go env GOPATH)/bin
# The same flags everywhere, so that commands share the build cache.
export GOFLAGS ?= -trimpath
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

.PHONY: evidence fidelity help build page quickstart check test soak measure lint test-page release image bench bench-page truth fuzz kill vm test-kube clean packages test-packages

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: page ## build bin/plinth, with the page if npm is installed
	@go build -ldflags "-X main.version=$(VERSION)" -o bin/plinth ./cmd/plinth

quickstart: packages build ## what does a commit cost here, and on a gp3 volume? (2.5 minutes)
	@bin/plinth run quickstart

page: ## build the page's program (web/) if it changed
	@scripts/page

check: ## before each commit: format, linters, types, tests without a server or a browser (1.5 minutes)
	@scripts/check

test: packages test-packages build ## run all checks of the project (25 minutes)
	@scripts/sweep
	@. scripts/test-env && go run ./scripts/gate test

soak: packages test-packages ## repeat the tests, with and without background load; flags: make soak SOAK=-h
	@. scripts/test-env && go run ./scripts/gate soak $(SOAK)

measure: packages test-packages ## measurements that need a quiet machine; writes docs/measured.md
	@. scripts/test-env && go run ./scripts/gate measure $(MEASURE)

lint: ## run the linters, including the check of package layers (depguard)
	@go tool -modfile=tools/go.mod golangci-lint run --allow-parallel-runners ./...
	@GOOS=darwin go build -o /dev/null ./cmd/plinth # reading records must work there, too
	@scripts/vulnerabilities

test-page: build ## run the page's linter, type checker, unit tests, and tests in Chromium
	@scripts/test-page

bench-page: build ## measure how fast the page of 500 runs loads in Chromium
	@cd web && node test/bench.js

bench: ## run the Go benchmarks (speed and memory)
	@go test -run '^$$' -bench . -benchmem ./...

truth: ## error rates of verdicts on simulated machines: the tables of docs/method.md (some minutes)
	@GOGC=400 go run ./internal/verdict/truth/cmd docs/method.md

# The disks on which the model was not developed, in parts of 15 to 30 minutes.
FIDELITY ?= commits-third reads-third redis-fourth redis-fifth bursts-third bursts-fourth binds-first commits-fourth

fidelity: packages test-packages build ## measure how accurate predictions are (3.5 hours; FIDELITY=reads-third: one part)
	@. scripts/test-env; store=results/fidelity/$$(date +%Y%m%dT%H%M%S); \
	for part in $(FIDELITY); do \
		[ $$part != commits-fourth ] || export PLINTH_PG_BIN="$$PLINTH_TEST_PG_BIN"; \
		bin/plinth run internal/prediction/fidelity/$$part.yaml --store $$store || exit 1; \
		go run ./scripts/fidelity -same $$store/fidelity-$$part-* && go run ./scripts/fidelity $$store/fidelity-$$part-* || exit 1; \
	done

EVIDENCE ?= $(wildcard internal/profile/evidence/*/*-*.yaml)
evidence: packages test-packages build ## measure the parts of oltp and redis (5 hours; EVIDENCE=FILE for one)
	@store=results/evidence/$$(date +%Y%m%dT%H%M%S); \
	for e in $(EVIDENCE); do \
		profile=$$(basename $$(dirname $$e)); \
		bin/plinth run $$e --store $$store/$$profile || exit 1; \
		go run ./scripts/evidence -keep -out internal/profile/evidence/$$profile.json $$store/$$profile/evidence-$$(basename $$e .yaml)-* || exit 1; \
	done

kill: packages test-packages ## kill plinth 100 times at random moments, also over ssh, and check what it leaves behind
	@PLINTH_KILLS=100 go test -count=1 -p 1 -timeout 60m -run TestKill -v ./internal/cli ./internal/cli/overssh

vm: ## test features that a kernel may lack (md, nbd, memory nodes) in an emulated machine, and enter it (slow; needs 300 MB)
	@. scripts/test-env && scripts/vm-test

test-kube: packages test-packages build ## test plinth on a real Kubernetes (20 minutes; SHORT=1: 6; the first call builds it in 10)
	@scripts/test-kube

release: ## binaries, .deb, .rpm, checksums and SBOM of this commit, in dist/
	@scripts/release

image: page ## container images of plinth, pgbench, redis-benchmark and fio, in dist/image; flags: make image IMAGE=-h
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) go run -C scripts/image . -version $(VERSION) $(IMAGE)
	@go test -C scripts/image -count=1 -run OfTheImage .

fuzz: ## fuzz every parser for a minute
	@scripts/fuzz 60s

clean: ## remove build results
	@rm -rf bin dist .cache web/node_modules web/dist/page.js web/dist/page.css

# Packages that plinth runs (PostgreSQL with pgbench), and those that its tests also need.
packages:
	@scripts/packages

test-packages:
	@scripts/test-packages
