// Package measuretest asks a machine what only a quiet machine can answer: how late an
// emulated device is, what telemetry costs, whether plinth agrees with vmstat. Such checks
// are tests with the build tag measure, in files named *_measure_test.go beside the code
// that they ask about. `make measure` runs them before a release and writes what they
// found to docs/measured.md. `make test` does not: it decides by what the program did.
package measuretest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// Repeats is how often a check measures. Its median decides, so that one bad moment of the
// machine does not.
const Repeats = 5

// File is the environment variable that names the file to which answers are appended, one
// JSON object a line.
const File = "PLINTH_MEASURED"

// Answer is what a check found.
type Answer struct {
	Package  string   `json:"package"` // where the check is: internal/emulator
	Test     string   `json:"test"`
	Question string   `json:"question"`
	Figures  []Figure `json:"figures"` // empty where a measurement failed: there is no answer
}

// Figure is one measured quantity of an answer, in its unit ("" for a share or a count).
type Figure struct {
	What   string  `json:"what"`
	Unit   string  `json:"unit,omitempty"`
	N      int     `json:"n"` // how often it was measured
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// Least and Most are the bounds that the median must keep; nil where there is none.
	Least *float64 `json:"least,omitempty"`
	Most  *float64 `json:"most,omitempty"`
}

// Held says whether the median keeps its bounds.
func (f Figure) Held() bool {
	return (f.Least == nil || f.Median >= *f.Least) && (f.Most == nil || f.Median <= *f.Most)
}

// M is one measurement of a check.
type M struct {
	*testing.T
	check *check
}

// check gathers the values of all measurements, in the order in which they were first seen.
type check struct {
	figures []Figure
	values  map[string][]float64
	lost    int // measurements that gave no value
}

// Ask measures Repeats times, each as a subtest, and fails the test where the median of a
// value breaks its bounds. A measurement that fails fails the check. One that was lost is
// left out, as long as more than half of them are there.
func Ask(t *testing.T, question string, measure func(m *M)) {
	t.Helper()
	AskTimes(t, Repeats, question, measure)
}

// AskTimes is Ask with another number of measurements, where each takes long.
func AskTimes(t *testing.T, times int, question string, measure func(m *M)) {
	t.Helper()
	c := &check{values: map[string][]float64{}}
	for range times {
		t.Run("measurement", func(t *testing.T) { (&M{T: t, check: c}).run(measure) })
	}
	if c.lost*2 >= times {
		t.Errorf("%d of %d measurements were lost", c.lost, times)
	}
	answer := Answer{Package: packageName(), Test: t.Name(), Question: question}
	if !t.Failed() {
		answer.Figures = c.summary()
	}
	for _, f := range answer.Figures {
		say := t.Logf
		if !f.Held() {
			say = t.Errorf
		}
		say("%s", f)
	}
	if err := keep(answer); err != nil {
		t.Fatal(err)
	}
}

// Lost ends a measurement that could not be taken, and says why. The machine may be to
// blame, and so it does not fail the check; values that it has noted still count.
func (m *M) Lost(format string, args ...any) {
	m.Helper()
	m.check.lost++
	m.Logf("lost: "+format, args...)
	panic(lost{})
}

// lost is what ends a lost measurement. A skipped test would count as one that needs
// something that this machine lacks.
type lost struct{}

func (m *M) run(measure func(m *M)) {
	defer func() {
		if r := recover(); r != nil && r != (lost{}) {
			panic(r)
		}
	}()
	measure(m)
}

// Value notes a value that has no bound.
func (m *M) Value(what string, value float64, unit string) {
	m.note(Figure{What: what, Unit: unit}, value)
}

// AtMost notes a value whose median must not exceed most.
func (m *M) AtMost(what string, value float64, unit string, most float64) {
	m.note(Figure{What: what, Unit: unit, Most: &most}, value)
}

// AtLeast notes a value whose median must reach least.
func (m *M) AtLeast(what string, value float64, unit string, least float64) {
	m.note(Figure{What: what, Unit: unit, Least: &least}, value)
}

// Between notes a value whose median must lie between least and most.
func (m *M) Between(what string, value float64, unit string, least, most float64) {
	m.note(Figure{What: what, Unit: unit, Least: &least, Most: &most}, value)
}

func (m *M) note(f Figure, value float64) {
	m.Helper()
	if math.IsNaN(value) || math.IsInf(value, 0) {
		m.Errorf("%s is %v", f.What, value)
		return
	}
	if _, known := m.check.values[f.What]; !known {
		m.check.figures = append(m.check.figures, f)
	}
	m.check.values[f.What] = append(m.check.values[f.What], value)
}

// summary is the figures with the median and the range of their values.
func (c *check) summary() []Figure {
	all := slices.Clone(c.figures)
	for i := range all {
		values := slices.Sorted(slices.Values(c.values[all[i].What]))
		n := len(values)
		all[i].N, all[i].Low, all[i].High = n, values[0], values[n-1]
		all[i].Median = (values[(n-1)/2] + values[n/2]) / 2
	}
	return all
}

// String is a figure in one line: "lateness of a write: 84 µs (61 to 130, n=5), want at most 100 µs".
func (f Figure) String() string {
	text := fmt.Sprintf("%s: %s (%s, n=%d)", f.What, f.Value(), f.Range(), f.N)
	if bounds := f.Bounds(); bounds != "" {
		text += ", want " + bounds
	}
	return text
}

// Value is the median with its unit: "84 µs".
func (f Figure) Value() string { return f.with(f.Median) }

// Range is the least and the greatest value: "61 to 130".
func (f Figure) Range() string { return number(f.Low) + " to " + number(f.High) }

// Bounds is the bounds in words: "at most 100 µs"; empty where there is none.
func (f Figure) Bounds() string {
	switch {
	case f.Least != nil && f.Most != nil:
		return number(*f.Least) + " to " + f.with(*f.Most)
	case f.Least != nil:
		return "at least " + f.with(*f.Least)
	case f.Most != nil:
		return "at most " + f.with(*f.Most)
	}
	return ""
}

func (f Figure) with(value float64) string { return strings.TrimSpace(number(value) + " " + f.Unit) }

// number has three digits: measurements bear no more.
func number(x float64) string {
	if math.Abs(x) >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// keep appends an answer to the file that the environment names, if it does.
func keep(answer Answer) error {
	name := os.Getenv(File)
	if name == "" {
		return nil
	}
	line, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// packageName is the package under test: a test runs in its directory.
func packageName() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	_, name, found := strings.Cut(dir, "/internal/")
	if !found {
		return dir
	}
	return "internal/" + name
}
