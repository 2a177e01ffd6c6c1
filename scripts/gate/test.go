package main

import (
	"bytes"
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
	logs  string // directory of what failed tests said

	mu                      sync.Mutex
	left                    []string // packages and steps
	total                   int
	passed, failed, skipped int
	cpu                     time.Duration
	red                     []string
}

// test runs every step and ends with one line of counts.
func test(ctx context.Context, _ []string) error {
	lanes, err := lanes()
	if err != nil {
		return err
	}
	g := &gate{out: os.Stdout, began: time.Now(), logs: ".cache/gate"}
	if err := os.RemoveAll(g.logs); err != nil {
		return err
	}
	for _, s := range slices.Concat(lanes...) {
		g.left = append(g.left, s.parts()...)
	}
	g.total = len(g.left)
	var all sync.WaitGroup
	for _, lane := range lanes {
		all.Go(func() {
			for _, s := range lane {
				if ctx.Err() == nil {
					g.run(ctx, s)
				}
			}
		})
	}
	all.Wait()
	return g.end(ctx)
}

// parts are what is counted of a step: its packages, or itself.
func (s step) parts() (parts []string) {
	for _, pkg := range s.packages {
		parts = append(parts, s.part(pkg))
	}
	if s.packages == nil {
		parts = []string{s.name}
	}
	return parts
}

// part is how a package of a step is called: cli is tested in two steps.
func (s step) part(pkg string) string {
	if pkg == cliPackage {
		return s.name
	}
	return short(pkg)
}

// run runs a step and says how each part of it ended.
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
		if err != nil && len(g.leftOf(s)) > 0 { // go test itself could not go on
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

// command is one that an interrupt lets end by itself, since it has things to put back.
func command(ctx context.Context, words []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	return cmd
}

// follow counts the tests of a go test, and shows those that fail as they do.
func (g *gate) follow(cmd *exec.Cmd, s step) error {
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	reds := map[string]string{} // by package, what its failed tests said
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
	switch o.result {
	case "pass":
		g.passed++
	case "skip":
		g.skipped++
	default:
		g.failed++
		g.red = append(g.red, s.part(o.pkg)+" "+o.test)
	}
}

// leftOf are the parts of a step that have not ended.
func (g *gate) leftOf(s step) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.DeleteFunc(s.parts(), func(part string) bool { return !slices.Contains(g.left, part) })
}

// nodeCounts are the counts with which tests of node:test end (its spec reporter).
var nodeCounts = regexp.MustCompile(`(?m)^ℹ (pass|fail) (\d+)$`)

// ended says that a part of the gate ended, and what is left. What a red one said follows.
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
	word := "ok "
	if err != nil {
		word = "RED"
	}
	fmt.Fprintf(g.out, "%s  %-32s %6.1f s   %d of %d%s\n", word, part, took.Seconds(), g.total-len(g.left), g.total, g.remaining())
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

// remaining names what is left once it is little.
func (g *gate) remaining() string {
	if n := len(g.left); n == 0 || n > 4 {
		return ""
	}
	return ", left: " + strings.Join(g.left, ", ")
}

// An excerpt of what a red part said has so many lines at its beginning and end; all of it
// is in a file.
const excerptLines = 150

func (g *gate) excerpt(part, said string) string {
	file := filepath.Join(g.logs, strings.NewReplacer("/", "-", " ", "-").Replace(part)+".log")
	_ = os.MkdirAll(g.logs, 0o755) // the excerpt is shown all the same
	if os.WriteFile(file, []byte(said), 0o644) != nil {
		file = "(nowhere: it could not be written)"
	}
	lines := strings.Split(strings.TrimRight(said, "\n"), "\n")
	if len(lines) > 2*excerptLines {
		lines = slices.Concat(lines[:excerptLines], []string{"... all of it is in " + file}, lines[len(lines)-excerptLines:])
	}
	return "    " + strings.Join(lines, "\n    ")
}

// load is the load of the machine: how many tasks ran or waited for a disk on average, in the
// last 1, 5 and 15 minutes, and how many do now (proc_loadavg(5)).
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown: " + err.Error()
	}
	return strings.TrimSpace(string(text))
}

// end prints what was red, the time, and a line of counts.
func (g *gate) end(ctx context.Context) error {
	elapsed := time.Since(g.began).Round(time.Second)
	fmt.Fprintf(g.out, "\n%s, %.1f CPU minutes\n", elapsed, g.cpu.Minutes())
	for _, name := range g.red {
		fmt.Fprintln(g.out, "red:", name)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(g.out, "interrupted")
		return errRed
	}
	failed := max(g.failed, len(g.red))
	fmt.Fprintf(g.out, "tests: %d passed, %d failed, %d skipped\n", g.passed, failed, g.skipped)
	if failed > 0 {
		return errRed
	}
	return nil
}
