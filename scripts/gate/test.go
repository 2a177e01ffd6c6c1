package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// gate is one run of all checks.
type gate struct {
	out   io.Writer
	began time.Time
	logs  string // directory for the output of failed tests

	mu             sync.Mutex
	left           []string // packages and steps
	total          int
	passed, failed int
	skipped        []string // tests
	slow           []timed
	cpu            time.Duration
	red            []string
}

// timed is a test and the time that it took.
type timed struct {
	name    string
	seconds float64
}

// slowest is the number of tests that are listed with their times at the end.
const slowest = 15

// test runs every step, and finally prints one line of counts.
func test(ctx context.Context, _ []string) error {
	steps, err := steps()
	if err != nil {
		return err
	}
	g := &gate{out: os.Stdout, began: time.Now(), logs: ".cache/gate"}
	if err := os.RemoveAll(g.logs); err != nil {
		return err
	}
	queue := make(chan step, len(steps))
	for _, s := range steps {
		g.left = append(g.left, s.parts()...)
		if !s.alone {
			queue <- s
		}
	}
	close(queue)
	g.total = len(g.left)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for s := range queue {
				if ctx.Err() == nil {
					g.run(ctx, s)
				}
			}
		})
	}
	workers.Wait()
	for _, s := range steps {
		if s.alone && ctx.Err() == nil {
			g.run(ctx, s)
		}
	}
	return g.end(ctx)
}

// parts returns the parts of a step that are counted: its packages, or the step itself.
func (s step) parts() (parts []string) {
	for _, pkg := range s.packages {
		parts = append(parts, s.part(pkg))
	}
	if s.packages == nil {
		parts = []string{s.name}
	}
	return parts
}

// part returns the name of a package within a step: cli and prediction are tested in two steps.
func (s step) part(pkg string) string {
	if pkg == cliPackage || pkg == predictionPackage && len(s.packages) == 1 {
		return s.name
	}
	return short(pkg)
}

// run runs a step and reports the result of each part.
func (g *gate) run(ctx context.Context, s step) {
	began := time.Now()
	cmd := command(ctx, s.command)
	var other bytes.Buffer
	cmd.Stderr = &other
	var err error
	if s.packages == nil {
		cmd.Stdout = &other
		err = cmd.Run()
		g.ended(s.name, time.Since(began), err, other.String())
	} else {
		err = g.follow(cmd, s)
		if err != nil && len(g.leftOf(s)) > 0 { // go test itself failed
			for _, part := range g.leftOf(s) {
				g.ended(part, time.Since(began), err, other.String())
			}
		}
	}
	if state := cmd.ProcessState; state != nil {
		g.mu.Lock()
		g.cpu += state.UserTime() + state.SystemTime()
		g.mu.Unlock()
	}
}

// command returns a command that is interrupted, not killed, when ctx is cancelled: it must put
// back its changes.
func command(ctx context.Context, words []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	return cmd
}

// follow runs a go test command, counts its tests, and reports each package when it ends.
func (g *gate) follow(cmd *exec.Cmd, s step) error {
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	reds := map[string]string{} // output of failed tests, by package
	err = decode(events, func(o outcome) {
		if o.test == "" {
			var failed error
			if o.result == "fail" {
				failed = errRed
			}
			g.ended(s.part(o.pkg), time.Duration(o.seconds*float64(time.Second)), failed, reds[o.pkg]+o.output)
			return
		}
		g.count(s, o)
		if o.result == "fail" {
			reds[o.pkg] += o.output
		}
	})
	if waited := cmd.Wait(); err == nil {
		err = waited
	}
	return err
}

func (g *gate) count(s step, o outcome) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slow = append(g.slow, timed{s.part(o.pkg) + " " + o.test, o.seconds})
	switch o.result {
	case "pass":
		g.passed++
	case "skip":
		g.skipped = append(g.skipped, s.part(o.pkg)+" "+o.test)
	default:
		g.failed++
		g.red = append(g.red, s.part(o.pkg)+" "+o.test)
	}
}

// leftOf returns the parts of a step that have not ended.
func (g *gate) leftOf(s step) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.DeleteFunc(s.parts(), func(part string) bool { return !slices.Contains(g.left, part) })
}

// nodeCounts matches the final counts of node:test's spec reporter.
var nodeCounts = regexp.MustCompile(`(?m)^ℹ (pass|fail) (\d+)$`)

// ended prints the result of a part and what is left. For a failed part, its output follows.
func (g *gate) ended(part string, took time.Duration, err error, said string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = slices.DeleteFunc(g.left, func(p string) bool { return p == part })
	for _, m := range nodeCounts.FindAllStringSubmatch(said, -1) {
		n, _ := strconv.Atoi(m[2])
		if m[1] == "pass" {
			g.passed += n
		} else {
			g.failed += n
		}
	}
	result := "ok "
	if err != nil {
		result = "RED"
	}
	fmt.Fprintf(g.out, "%s  %-32s %6.1f s   %d of %d%s\n", result, part, took.Seconds(), g.total-len(g.left), g.total, g.remaining())
	if err == nil {
		return
	}
	if !slices.ContainsFunc(g.red, func(red string) bool { return strings.HasPrefix(red, part+" Test") }) {
		g.red = append(g.red, part)
	}
	if !errors.Is(err, errRed) {
		said += "\n" + err.Error()
	}
	fmt.Fprintf(g.out, "    load of the machine: %s\n%s\n", load(), g.excerpt(part, said))
}

// remaining lists the parts that are left, if there are at most four.
func (g *gate) remaining() string {
	if n := len(g.left); n == 0 || n > 4 {
		return ""
	}
	return ", left: " + strings.Join(g.left, ", ")
}

// excerptLines is the number of lines that are shown of the beginning and of the end of a
// failed part's output; the whole output is in a file.
const excerptLines = 150

func (g *gate) excerpt(part, said string) string {
	file := filepath.Join(g.logs, strings.NewReplacer("/", "-", " ", "-").Replace(part)+".log")
	_ = os.MkdirAll(g.logs, 0o755) // the excerpt is shown even if this fails
	if os.WriteFile(file, []byte(said), 0o644) != nil {
		file = "(no file: it could not be written)"
	}
	lines := strings.Split(strings.TrimRight(said, "\n"), "\n")
	if len(lines) > 2*excerptLines {
		lines = slices.Concat(lines[:excerptLines], []string{"... complete output in " + file}, lines[len(lines)-excerptLines:])
	}
	return "    " + strings.Join(lines, "\n    ")
}

// load returns the machine's load: the average number of tasks that ran or waited for a disk in
// the last 1, 5 and 15 minutes, and the current number (proc_loadavg(5)).
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown: " + err.Error()
	}
	return strings.TrimSpace(string(text))
}

// end prints the failed parts, the time, and a line of counts.
func (g *gate) end(ctx context.Context) error {
	elapsed := time.Since(g.began).Round(time.Second)
	fmt.Fprintf(g.out, "\n%s, %.1f CPU minutes\n", elapsed, g.cpu.Minutes())
	for _, t := range g.slowest() {
		fmt.Fprintf(g.out, "%6.1f s  %s\n", t.seconds, t.name)
	}
	for _, name := range g.skipped { // what this machine does not have, or make vm and make test-kube run
		fmt.Fprintln(g.out, "skipped:", name)
	}
	for _, name := range g.red {
		fmt.Fprintln(g.out, "red:", name)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(g.out, "interrupted")
		return errRed
	}
	failed := max(g.failed, len(g.red))
	fmt.Fprintf(g.out, "tests: %d passed, %d failed, %d skipped\n", g.passed, failed, len(g.skipped))
	if failed > 0 {
		return errRed
	}
	return nil
}

// slowest returns the tests that took longest, without those that only run subtests.
func (g *gate) slowest() []timed {
	parents := map[string]bool{}
	for _, t := range g.slow {
		if i := strings.LastIndexByte(t.name, '/'); i > strings.IndexByte(t.name, ' ') {
			parents[t.name[:i]] = true
		}
	}
	leaves := slices.DeleteFunc(slices.Clone(g.slow), func(t timed) bool { return parents[t.name] || t.seconds < 1 })
	slices.SortStableFunc(leaves, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	return leaves[:min(slowest, len(leaves))]
}
