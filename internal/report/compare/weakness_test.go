package compare

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unweighed holds rules of notes that do not weaken an answer: reasons of runs that are not
// counted, notes outside comparisons, and notes on how p was computed.
var unweighed = strings.Fields(`exact drawn block-invalid block-incomplete failed driver server killed logs
	log-disagrees unfinished nothing-measured gap-differs quota-one-side invalid skipped server-restarted failures
	reloaded erases no-inventory requests-missing emulation-unproven emulation-late event-failed`)

// TestEachRuleHasAWeight checks that each rule has a weight or is listed in unweighed, and that
// each weight belongs to an existing rule.
func TestEachRuleHasAWeight(t *testing.T) {
	found := rulesInSource(t)
	if len(found) < 40 {
		t.Fatalf("only %d rules were found: %v", len(found), found)
	}
	for _, rule := range found {
		if !slices.Contains(weights, rule) && !slices.Contains(unweighed, rule) {
			t.Errorf("%s has no weight", rule)
		}
	}
	for _, rule := range weights {
		if !slices.Contains(found, rule) {
			t.Errorf("no source creates %s", rule)
		}
	}
}

// rules matches each source that creates notes.
var rules = regexp.MustCompile(`\b[Rr]ules?\b|[a-z]Rule\b|Parity`)

// rulesInSource returns the rules of notes in the sources.
func rulesInSource(t *testing.T) []string {
	t.Helper()
	patterns := []*regexp.Regexp{
		regexp.MustCompile(`Rule: *"([a-z-]+)"`),
		regexp.MustCompile(`(?:rule|Rule)[A-Za-z]+ += "([a-z-]+)"`),
		regexp.MustCompile(`(?m)^\s+name: *"([a-z-]+)",`),
		regexp.MustCompile(`\{name: *"([a-z-]+)",`),
		regexp.MustCompile(`(?m)^\t\{"([a-z-]+)", "`),
		regexp.MustCompile(`add\("([a-z-]+)", `),
		regexp.MustCompile(`\bnote\("([a-z-]+)"`),
		regexp.MustCompile(`\.Add\(\w+, \w+, "([a-z-]+)"`),
		regexp.MustCompile(`\.(?:onIdle|oneSide)\(\s*"([a-z-]+)"`),
		regexp.MustCompile(`\b[a-zA-Z]+ += "((?:parity|import)-[a-z-]+)"`),
	}
	var found []string
	for _, room := range []string{"validity", "verdict", "stats", "experiment", "runner", "record", "engine", "driver", "capture", "report", "volume"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Dir(path), "test") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil || !rules.Match(source) {
				return err
			}
			for _, pattern := range patterns {
				for _, m := range pattern.FindAllStringSubmatch(string(source), -1) {
					found = append(found, m[1])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestEmulatorComesAfterOthers checks the order of two rules: CPU time of other processes
// explains more than the emulator's.
func TestEmulatorComesAfterOthers(t *testing.T) {
	for _, rule := range []string{"emulator-competes", "emulation-tail"} {
		if weight(rule) < weight("others-cpu") || weight(rule) < weight("others-io") || weight(rule) == len(weights) {
			t.Errorf("%s is at %d", rule, weight(rule))
		}
	}
}
