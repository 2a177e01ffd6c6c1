package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// soakDir holds test binaries, results and the output of failed tests. A soak that is started
// again continues from them.
const soakDir = ".cache/soak"

// lap is one execution of a package's tests in a soak.
type lap struct {
	Commit string `json:"commit"`
	Loaded bool   `json:"loaded"`
	Run    string `json:"run,omitempty"` // pattern of the selected tests; empty for all
	Round  int    `json:"round"`
	Part   string `json:"part"`
}

// lapResult is a line of results.jsonl.
type lapResult struct {
	lap
	Seed    uint64    `json:"seed"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Passed  int       `json:"passed"`
	Red     []string  `json:"red,omitempty"`
	Log     string    `json:"log,omitempty"`
}

// soaking is a soak in progress.
type soaking struct {
	commit string
	run    string
	units  []unit
	jobs   int

	mu   sync.Mutex
	done map[lap]lapResult
	file *os.File
}

// unit is a test binary, with the flags that select its tests.
type unit struct {
	part, pkg, dir, binary string
	race                   bool
	flags                  []string
}

func soak(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("soak", flag.ExitOnError)
	quiet := flags.Int("quiet", 5, "number of rounds without background load")
	loaded := flags.Int("loaded", 2, "number of rounds with background load: two busy loops and a writer on the disk")
	run := flags.String("run", "", "run only tests that match, as with go test -run")
	jobs := flags.Int("jobs", 2, "number of packages tested at the same time")
	limit := flags.Duration("for", 0, "time limit; 0: until all rounds are done")
	_ = flags.Parse(args) // it exits
	if *limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, *limit)
		defer stop()
	}
	s := &soaking{run: *run, jobs: *jobs}
	if err := s.prepare(ctx, flags.Args()); err != nil {
		return err
	}
	defer s.file.Close()
	s.rounds(ctx, *quiet, false)
	if *loaded > 0 && ctx.Err() == nil {
		stop := startLoad(ctx)
		s.rounds(ctx, *loaded, true)
		stop()
	}
	return s.report()
}

// prepare builds the test binaries and reads the results of earlier soaks.
func (s *soaking) prepare(ctx context.Context, patterns []string) error {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return fmt.Errorf("cannot determine the commit: %w", err)
	}
	s.commit = strings.TrimSpace(string(out))
	if err := os.MkdirAll(soakDir+"/red", 0o755); err != nil {
		return err
	}
	if s.units, err = units(patterns); err != nil {
		return err
	}
	if s.run != "" { // otherwise the selected tests would run twice
		s.units = slices.DeleteFunc(s.units, func(u unit) bool { return u.part == "cli raced" })
	}
	for i := range s.units {
		if err := s.units[i].build(ctx); err != nil {
			return err
		}
	}
	s.done = map[lap]lapResult{}
	name := soakDir + "/results.jsonl"
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for line := range bytes.Lines(text) {
		var r lapResult
		if json.Unmarshal(line, &r) == nil { // otherwise it is the torn last line of a killed soak
			s.done[r.lap] = r
		}
	}
	s.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return err
}

// units returns the units of the packages that match patterns, or of all packages without
// patterns, as the gate tests them.
func units(patterns []string) ([]unit, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	raced, plain, _, err := packages(patterns...) // soak repeats tests side by side, which isolated ones cannot bear
	if err != nil {
		return nil, err
	}
	var all []unit
	for _, pkg := range raced {
		all = append(all, unit{part: short(pkg), pkg: pkg, race: true})
	}
	for _, pkg := range plain {
		all = append(all, unit{part: short(pkg), pkg: pkg})
	}
	if named, err := exec.Command("go", append([]string{"list"}, patterns...)...).Output(); err != nil {
		return nil, err
	} else if slices.Contains(strings.Fields(string(named)), cliPackage) {
		all = append(all,
			unit{part: "cli", pkg: cliPackage, flags: []string{"-test.parallel=4", "-test.skip=" + endToEnd}},
			unit{part: "cli raced", pkg: cliPackage, race: true, flags: []string{"-test.run=" + endToEnd}})
	}
	return all, nil
}

// build makes the test binary.
func (u *unit) build(ctx context.Context) error {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", u.pkg).Output()
	if err != nil {
		return err
	}
	u.dir = strings.TrimSpace(string(out))
	name := strings.NewReplacer("/", "-", " ", "-").Replace(u.part) + ".test"
	if u.binary, err = filepath.Abs(filepath.Join(soakDir, "bin", name)); err != nil {
		return err
	}
	args := []string{"test", "-c", "-vet=off", "-o", u.binary}
	if u.race {
		args = append(args, "-race")
	}
	if out, err := command(ctx, append(append([]string{"go"}, args...), u.pkg)).CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the tests of %s: %w\n%s", u.pkg, err, out)
	}
	return nil
}

// rounds runs the missing laps, each round in a different random order.
func (s *soaking) rounds(ctx context.Context, rounds int, loaded bool) {
	var due []func()
	for round := range rounds {
		order := rand.Perm(len(s.units))
		for _, i := range order {
			u, l := s.units[i], lap{Commit: s.commit, Loaded: loaded, Run: s.run, Round: round + 1, Part: s.units[i].part}
			if _, done := s.done[l]; !done {
				due = append(due, func() { s.lap(ctx, u, l) })
			}
		}
	}
	work := make(chan func())
	var all sync.WaitGroup
	for range s.jobs {
		all.Go(func() {
			for lap := range work {
				if ctx.Err() == nil {
					lap()
				}
			}
		})
	}
	for i, lap := range due {
		work <- lap
		if (i+1)%20 == 0 {
			fmt.Printf("%d of %d laps started\n", i+1, len(due))
		}
	}
	close(work)
	all.Wait()
}

// lap runs a test binary once, with its tests in random order, and stores the result.
func (s *soaking) lap(ctx context.Context, u unit, l lap) {
	r := lapResult{lap: l, Seed: rand.Uint64N(1 << 32), Began: time.Now()}
	words := []string{"go", "tool", "test2json", "-t", "-p", u.pkg, u.binary, "-test.v=test2json", "-test.timeout=30m", fmt.Sprintf("-test.shuffle=%d", r.Seed)}
	words = append(words, u.flags...)
	if s.run != "" {
		words = append(words, "-test.run="+s.run)
	}
	cmd := command(ctx, words)
	cmd.Dir = u.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	failed := cmd.Run()
	if ctx.Err() != nil {
		return // cancelled: there is no result
	}
	var said strings.Builder
	err := decode(bufio.NewReader(&out), func(o outcome) {
		switch {
		case o.result == "fail" && o.test != "":
			r.Red = append(r.Red, o.test)
			said.WriteString(o.output)
		case o.result == "fail":
			said.WriteString(o.output)
		case o.test != "" && o.result == "pass":
			r.Passed++
		}
	})
	if failed = cmp.Or(failed, err); failed != nil && len(r.Red) == 0 {
		r.Red = []string{"(the package: " + failed.Error() + ")"}
	}
	r.Seconds = time.Since(r.Began).Seconds()
	s.keep(r, said.String())
}

// keep stores a result, and prints it if a test failed.
func (s *soaking) keep(r lapResult, said string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(r.Red) > 0 {
		r.Log = fmt.Sprintf("%s/red/%s-%d-%s.log", soakDir, strings.NewReplacer("/", "-", " ", "-").Replace(r.Part), r.Round, r.Began.Format("150405"))
		if err := os.WriteFile(r.Log, []byte("load of the machine: "+load()+"\n"+said), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gate:", err)
		}
		fmt.Printf("RED  %s, round %d%s: %s (%s)\n", r.Part, r.Round, underLoad(r.Loaded), strings.Join(r.Red, ", "), r.Log)
	}
	s.done[r.lap] = r
	line, err := json.Marshal(r)
	if err == nil {
		_, err = s.file.Write(append(line, '\n'))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate: cannot store a result:", err)
	}
}

func underLoad(loaded bool) string {
	if loaded {
		return " with background load"
	}
	return ""
}

// startLoad runs two busy loops and a writer on the disk until stop is called.
func startLoad(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, script := range []string{
		"while :; do :; done", "while :; do :; done",
		"while :; do dd if=/dev/zero of=" + soakDir + "/load bs=1M count=64 conv=fsync 2>/dev/null; done",
	} {
		cmd := exec.CommandContext(ctx, "sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		all.Go(func() { _ = cmd.Run() }) // it is killed
	}
	return func() {
		cancel()
		all.Wait()
		_ = os.Remove(soakDir + "/load")
	}
}

// report lists each test that ever failed at this commit, and how often.
func (s *soaking) report() error {
	type count struct {
		name      string
		red, laps int
	}
	laps, reds, logs := map[string]int{}, map[string]int{}, map[string]string{}
	total, seconds := 0, 0.0
	for l, r := range s.done {
		if l.Commit != s.commit {
			continue
		}
		total++
		seconds += r.Seconds
		laps[l.Part]++
		for _, test := range r.Red {
			reds[l.Part+" "+test]++
			logs[l.Part+" "+test] = r.Log
		}
	}
	var all []count
	for name, n := range reds {
		part, _, _ := strings.Cut(name, " Test")
		all = append(all, count{name, n, laps[part]})
	}
	slices.SortFunc(all, func(a, b count) int { return cmp.Or(b.red-a.red, strings.Compare(a.name, b.name)) })
	fmt.Printf("\n%s: %d laps of %d packages, %s of tests\n", s.commit, total, len(laps), time.Duration(seconds*float64(time.Second)).Round(time.Second))
	for _, c := range all {
		fmt.Printf("%4d of %d laps red: %s (%s)\n", c.red, c.laps, c.name, logs[c.name])
	}
	if len(all) > 0 {
		return errRed
	}
	fmt.Println("no test ever failed")
	return nil
}
