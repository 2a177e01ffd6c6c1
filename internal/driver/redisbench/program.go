package redisbench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// BinVariable names one or several directories of Redis programs, separated by ':', that
// are searched before all others.
const BinVariable = "PLINTH_REDIS_BIN"

// oldestVersion is the first with --threads.
const oldestVersion = 6

// Program is a load generator of Redis or Valkey.
type Program struct {
	Path    string
	Name    string // "redis-benchmark" or "valkey-benchmark", as in its --version
	Version string // "7.0.15"
}

// FindBenchmark finds the redis-benchmark or valkey-benchmark that drives all environments:
// in PLINTH_REDIS_BIN or, if none is there, in PATH and the usual directories; the newest
// redis-benchmark, otherwise the newest valkey-benchmark.
func FindBenchmark() (Program, error) {
	others := append(filepath.SplitList(os.Getenv("PATH")), "/usr/local/bin", "/usr/bin")
	return findBenchmark(launch.NewLocal(), filepath.SplitList(os.Getenv(BinVariable)), others)
}

func findBenchmark(launcher launch.Launcher, named, others []string) (Program, error) {
	var refused []string
	for _, dirs := range [][]string{named, others} {
		for _, name := range []string{"redis-benchmark", "valkey-benchmark"} {
			found, not := programs(launcher, name, dirs)
			refused = append(refused, not...)
			if len(found) > 0 {
				return slices.MaxFunc(found, func(a, b Program) int { return slices.Compare(a.numbers(), b.numbers()) }), nil
			}
		}
	}
	also := ""
	if len(refused) > 0 {
		also = " (" + strings.Join(slices.Compact(refused), "; ") + ")"
	}
	return Program{}, hint.Errorf(launch.Install("redis-benchmark")+"; or set "+BinVariable+"; or use generator: plinth, which needs no program",
		"cannot find redis-benchmark in %s or PATH%s", BinVariable, also)
}

// programs returns the usable programs of a name, and why others are not usable.
func programs(launcher launch.Launcher, name string, dirs []string) (found []Program, refused []string) {
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		if _, err := launch.FindProgram(path); err != nil {
			continue
		}
		p, err := programAt(launcher, path)
		if err != nil {
			refused = append(refused, err.Error())
			continue
		}
		found = append(found, p)
	}
	return found, refused
}

// versionLine matches what --version prints: "redis-benchmark 7.0.15 (git:1234abcd)".
var versionLine = regexp.MustCompile(`^((?:redis|valkey)-benchmark) v?(\d+(?:\.\d+)*)`)

const versionWait = 5 * time.Second

func programAt(launcher launch.Launcher, path string) (Program, error) {
	ctx, cancel := context.WithTimeout(context.Background(), versionWait)
	defer cancel()
	var out bytes.Buffer
	status, err := launch.Run(ctx, launcher, launch.Command{Path: path, Args: []string{"--version"}, Stdout: &out})
	if err != nil {
		return Program{}, fmt.Errorf("%s does not run: %w", path, err)
	}
	match := versionLine.FindStringSubmatch(out.String())
	if match == nil {
		return Program{}, fmt.Errorf("%s is not redis-benchmark (exit code %d)", path, status.Code)
	}
	p := Program{Path: path, Name: match[1], Version: match[2]}
	if p.numbers()[0] < oldestVersion {
		return Program{}, fmt.Errorf("%s has version %s, older than %d", path, p.Version, oldestVersion)
	}
	return p, nil
}

// numbers returns those of the version; there is at least one.
func (p Program) numbers() []int {
	var all []int
	for part := range strings.SplitSeq(p.Version, ".") {
		n, _ := strconv.Atoi(part)
		all = append(all, n)
	}
	return all
}

// before reports whether the version is an earlier one.
func (p Program) before(numbers ...int) bool {
	return slices.Compare(p.numbers(), numbers) < 0
}
