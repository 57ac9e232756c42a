# stoa: build, run, test. `make help` lists the goals.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BIN := .cache/bin
GO_SOURCES := $(shell find api client cmd internal web -type f \( -name '*.go' -o -name '*.sql' -o -name '*.jsonl' \) -not -path 'web/node_modules/*') go.mod go.sum changelog.go CHANGELOG.md
WEB_SOURCES := $(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/dist/*' -not -name api.gen.ts 2>/dev/null) api/openapi.yaml

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: run
run: bin/stoa ## build what has changed and serve on 127.0.0.1:8106 with data in ./data
	./bin/stoa serve --data data

.PHONY: build
build: bin/stoa ## the binary with its pages

bin/stoa: .cache/web.built $(GO_SOURCES)
	@command -v go >/dev/null || { echo "Go 1.26 or newer is needed: https://go.dev/dl"; exit 1; }
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X stoa/internal/cli.Version=$(VERSION)" -o $@ ./cmd/stoa

.cache/web.installed: web/package-lock.json
	@command -v node >/dev/null && [ "$$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || { echo "Node.js 20 or newer is needed to build the pages: https://nodejs.org"; exit 1; }
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@mkdir -p .cache && touch $@

.cache/web.built: .cache/web.installed $(WEB_SOURCES)
	cd web && npm run --silent build
	@touch $@

.PHONY: generate
generate: ## client/contract and the pages' types, from api/openapi.yaml
	go run ./internal/clientgen
	cd web && npm run --silent gen

.PHONY: test
test: bin/stoa ## everything: Go on SQLite and PostgreSQL with -race, pages, browser
	tests/run

.PHONY: test-fast
test-fast: ## the Go packages that differ from main, on SQLite alone
	tests/run fast

.PHONY: test-report
test-report: $(BIN)/golangci-lint ## where the time of the Go suite goes: seconds per package and the 40 slowest tests
	-$(BIN)/gotestsum --format pkgname-and-test-fails --jsonfile .cache/test-report.json -- -timeout 30m ./cmd/... ./client/... ./internal/...
	@$(BIN)/gotestsum tool slowest --jsonfile .cache/test-report.json --num 40

.PHONY: check
check: lint test ## what must be green before a change lands

.PHONY: lint
lint: $(BIN)/golangci-lint bin/stoa ## formatting, which package may import which, dead code
	$(BIN)/golangci-lint run ./...
	$(BIN)/deadcode -test ./... | (! grep .)
	cd web && npm run --silent check

$(BIN)/golangci-lint: tools/go.mod tools/go.sum
	cd tools && go build -o ../$(BIN)/ tool
	@touch $@

$(BIN)/versitygw: tools/versitygw/go.mod tools/versitygw/go.sum ## the object store that the tests run on
	cd tools/versitygw && go build -o ../../$@ github.com/versity/versitygw/cmd/versitygw
	@touch $@

$(BIN)/goreleaser: tools/goreleaser/go.mod tools/goreleaser/go.sum
	cd tools/goreleaser && go build -o ../../$@ github.com/goreleaser/goreleaser/v2
	@touch $@

$(BIN)/syft: tools/syft/go.mod tools/syft/go.sum
	cd tools/syft && go build -o ../../$@ github.com/anchore/syft/cmd/syft
	@touch $@

.PHONY: release-try
release-try: $(BIN)/goreleaser $(BIN)/syft ## the archives of a release into .cache/dist, nothing published; the tools take ten minutes to build once
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/goreleaser release --snapshot --clean --skip=sign

.PHONY: format
format: $(BIN)/golangci-lint ## format all Go code
	$(BIN)/golangci-lint fmt ./...

.PHONY: hostile
hostile: ## all that attackers tried, every kind of key in every place, and a search of ten minutes for inputs that cost much for each byte
	go test -count=1 -timeout 60m ./tests/hostile -hostile.long
	go test -count=1 -timeout 60m ./tests/hostile/cost -v -cost.search=30s
	STOA_MATRIX=1 go test -count=1 -timeout 60m ./internal/market/redact -v -run 'TestKeys|TestNamesOf|TestLookAlike|TestNoKey|TestTheSecond|TestHonestTexts|TestNothingPlanted|TestRandomTrees|TestVerifyScales'

.PHONY: mutate
mutate: ## plant faults in the packages that decide something, and say which their own tests let pass
	go run ./tests/mutate

.PHONY: anki
anki: ## 100,000 random edits in Anki and here, with rounds of `stoa anki sync` between them
	STOA_ANKI_EDITS=100000 go test -count=1 -timeout 120m ./internal/ankisync -run TestBothSidesAgree -v

.PHONY: vuln
vuln: $(BIN)/golangci-lint ## known vulnerabilities in Go modules and npm packages: fails on one (exit 1), and when it could not look (exit 2)
	tools/vuln $(BIN)/govulncheck

.PHONY: notice
notice: .cache/web.installed ## write NOTICE: the licences of what is compiled in
	go run ./internal/notice

.PHONY: bench
bench: bin/stoa ## figures as ratios, measured side by side in one run
	go run ./tests/load/bench

FAULTS_FOR ?= 5m
.PHONY: faults
faults: bin/stoa ## take parts away at random under load for FAULTS_FOR (5m) and judge what clients saw; docs/faults.md
	go test -count=1 ./tests/faults/checker
	go test -count=1 -v -timeout 2h ./tests/faults -duration $(FAULTS_FOR)

FAILOVERS ?= 50
.PHONY: failover
failover: bin/stoa ## take a Patroni cluster's parts away FAILOVERS (50) times under load; needs the Debian packages patroni, etcd-server, haproxy, postgresql
	go test -count=1 ./tests/faults/checker
	go test -count=1 -v -timeout 4h ./tests/faults -run 'TestPatroni|TestFailover|TestALossIsNamed' -failovers $(FAILOVERS) -histories "$(CURDIR)/.cache/failover"

.PHONY: load
load: bin/stoa ## a mix of users at rising rates until the knee, and PocketBase beside it
	go run ./tests/load/mixed -binary bin/stoa $(LOADFLAGS)

.PHONY: neighbours
neighbours: ## run the clients of other assistants against a server here and print what each could do; docs/neighbours.md
	STOA_TEST_POSTGRES= go test -count=1 -v -timeout 20m ./tests/neighbours -neighbours

.PHONY: screenshots
screenshots: bin/stoa ## pictures of every view into ./screenshots
	cd tests/e2e && npm ci --no-audit --no-fund --loglevel=error && node screenshots.mjs

.PHONY: clean
clean: ## remove what was built
	rm -rf bin .cache web/node_modules tests/e2e/node_modules screenshots
	find web/dist -mindepth 1 -not -name placeholder.html -delete
