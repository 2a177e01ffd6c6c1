package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// step is one command of the gate.
type step struct {
	name     string
	command  []string
	packages []string // those that it tests; nil if it is not a go test
	alone    bool     // runs when all others have ended
}

// sequential matches packages that start no goroutine: the race detector would make them up to
// ten times slower and could not find anything.
var sequential = regexp.MustCompile(`/(advice|cli/(base|machines|placing|predicting|records|running)|capture|capture/[a-z]+|cost|fiojson|imported|layout|pglog|placement|placement/trial|prediction/[a-z]+|price|search|search/study|strictyaml|` +
	`chart|device|driver/latency|driver/merge|experiment|experiment/[a-z]+|figure|hint|inspect|instance|knob|measuretest|metric|page|pagetest|typescript|profile|prose|report|report/[a-z]+|stats|unit|validity|verdict|truth|gate)$`)

// isolated matches packages whose tests have mount namespaces of their own: these keep copies of other
// tests' mounts, whose disks stay busy.
var isolated = regexp.MustCompile(`/internal/(reach|reach/reachtest|cli/overssh)$`)

// Two packages are tested mostly without the race detector: cli, whose tests start plinth hundreds of times
// and mostly wait, and prediction, which starts goroutines in one place and computes for minutes. The tests
// of cli that endToEnd matches, and those of prediction that together matches, run with it.
const (
	cliPackage        = "plinth/internal/cli"
	endToEnd          = `^TestScripts$/^(run|resume|sql)$|^TestRunServe$|^TestTuneScripts$|^TestKillTuned$`
	predictionPackage = "plinth/internal/prediction"
	together          = `^TestSame$`
)

// steps returns the steps of the gate, in the order in which two workers take them: most tests of cli
// wait, and the other worker uses the CPUs meanwhile. The shortest step is the last, so that both end
// at about the same time.
func steps() ([]step, error) {
	raced, plain, alone, err := packages("./...")
	if err != nil {
		return nil, err
	}
	last := goTest("alone", alone)
	last.alone = true
	cli := []string{cliPackage}
	return []step{
		goTest("cli", cli, "-parallel", "4", "-skip", endToEnd),
		goTest("raced", raced, "-race"),
		goTest("plain", plain),
		{name: "lint", command: []string{"make", "--no-print-directory", "lint"}},
		{name: "page", command: []string{"scripts/test-page"}},
		{name: "image", command: []string{"go", "test", "-C", "scripts/image", "-count=1", "."}}, // a module of its own
		goTest("cli raced", cli, "-race", "-run", endToEnd),
		goTest("prediction raced", []string{predictionPackage}, "-race", "-run", together),
		last,
	}, nil
}

func goTest(name string, packages []string, flags ...string) step {
	// No vet: lint does that. Linking without debug information is half the work.
	command := append([]string{"go", "test", "-json", "-count=1", "-vet=off", "-ldflags=-s -w", "-timeout", "40m"}, flags...)
	return step{name: name, command: append(command, packages...), packages: packages}
}

// packages returns the packages with tests that match the patterns, except cli: those to be
// tested with the race detector, those without, and those that are tested alone.
func packages(patterns ...string) (raced, plain, alone []string, err error) {
	args := append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}, patterns...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("cannot list the packages: %w", err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		switch {
		case name == cliPackage:
		case isolated.MatchString(name):
			alone = append(alone, name)
		case name == predictionPackage, sequential.MatchString(name):
			plain = append(plain, name)
		default:
			raced = append(raced, name)
		}
	}
	return raced, plain, alone, nil
}

// short returns the path of a package without the module's name: internal/cli.
func short(name string) string { return strings.TrimPrefix(name, "plinth/") }
