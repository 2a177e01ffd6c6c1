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
	packages []string // those that it tests; nil where it is no go test
}

// sequential are packages that start no goroutine: the race detector makes them up to ten
// times slower, and has nothing to see.
var sequential = regexp.MustCompile(`/(chart|device|experiment|experiment/[a-z]+|figure|hint|inspect|knob|measuretest|metric|page|pagetest|typescript|profile|prose|report|report/[a-z]+|stats|unit|validity|verdict|truth|gate)$`)

// cliPackage is tested mostly without the race detector: a plinth that is started hundreds of
// times waits most of the time. What endToEnd names is driven with it.
const (
	cliPackage = "plinth/internal/cli"
	endToEnd   = `^TestScripts$/^(run|resume|sql)$|^TestRunServe$|^TestTuneScripts$|^TestKillTuned$`
)

// lanes are the steps of the gate. Lanes run beside each other, the steps of one lane one
// after the other: most tests of cli wait, and the others use the CPUs meanwhile.
func lanes() ([][]step, error) {
	raced, plain, err := packages("./...")
	if err != nil {
		return nil, err
	}
	cli := []string{cliPackage}
	return [][]step{
		{
			goTest("raced", raced, "-race"),
			goTest("plain", plain),
			{name: "page", command: []string{"scripts/test-page"}},
		},
		{
			goTest("cli", cli, "-parallel", "4", "-skip", endToEnd),
			goTest("cli raced", cli, "-race", "-run", endToEnd),
			{name: "lint", command: []string{"make", "--no-print-directory", "lint"}},
		},
	}, nil
}

func goTest(name string, packages []string, flags ...string) step {
	// lint vets; to link without symbols for a debugger is half the work.
	command := append([]string{"go", "test", "-json", "-count=1", "-vet=off", "-ldflags=-s -w", "-timeout", "30m"}, flags...)
	return step{name: name, command: append(command, packages...), packages: packages}
}

// packages are those with tests that the patterns name, but cli: those with the race
// detector, and those without.
func packages(patterns ...string) (raced, plain []string, err error) {
	args := append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}, patterns...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, nil, fmt.Errorf("cannot list the packages: %w", err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		switch {
		case name == cliPackage:
		case sequential.MatchString(name):
			plain = append(plain, name)
		default:
			raced = append(raced, name)
		}
	}
	return raced, plain, nil
}

// short is a package without the module's name: internal/cli.
func short(name string) string { return strings.TrimPrefix(name, "plinth/") }
