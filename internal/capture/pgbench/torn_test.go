package pgbench

import (
	"math"
	"slices"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/capture/capturetest"
	"plinth/internal/record"
)

// TestTornOutputs cuts outputs at each byte: each number is that of the whole output, or is missing.
func TestTornOutputs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"15-stamp.txt", "17-mix.txt", "18-connect.txt", "written-9.4.txt"} {
		text := fixture(t, name)
		whole := read(t, text).Sections[0].Found.Runs[0]
		for _, cut := range capturetest.Ends(text) {
			for _, s := range read(t, text[:cut]).Sections {
				if s.Refused != nil {
					continue
				}
				if wrong := differs(&s.Found.Runs[0], &whole); wrong != "" {
					t.Fatalf("%s cut at %d, in %q: wrong %s", name, cut, text[max(0, cut-40):cut], wrong)
				}
			}
		}
	}
}

// differs names a field that is neither empty nor that of the whole output.
func differs(cut, whole *capture.Run) string {
	a, b := &cut.Result, &whole.Result
	for name, values := range map[string][2]float64{
		"clients": {float64(cut.Clients), float64(whole.Clients)}, "threads": {float64(cut.Threads), float64(whole.Threads)},
		"transactions": {float64(a.Transactions), float64(b.Transactions)}, "mean": {a.Latency.Mean, b.Latency.Mean}, "stddev": {a.Latency.Stddev, b.Latency.Stddev},
		"failures": {float64(a.Failures), float64(b.Failures)}, "retries": {float64(a.Retries), float64(b.Retries)},
		"skipped": {float64(a.Skipped), float64(b.Skipped)}, "late": {float64(a.Late), float64(b.Late)},
	} {
		if values[0] != 0 && values[0] != values[1] {
			return name
		}
	}
	including := whole.Options["tps (including connections establishing)"]
	if a.TPS != 0 && a.TPS != b.TPS && grouped(a.TPS, 6) != withCommas(including) {
		return "TPS"
	}
	for name, value := range cut.Options {
		if whole.Options[name] != value {
			return "option " + name
		}
	}
	if cut.Workload != "" && cut.Workload != whole.Workload || cut.Version != "" && cut.Version != whole.Version {
		return "workload or version"
	}
	for i := range a.Statements {
		if i >= len(b.Statements) || a.Statements[i].Mean != b.Statements[i].Mean || a.Statements[i].Statement != b.Statements[i].Statement {
			return "statements"
		}
	}
	if !slices.EqualFunc(a.Scripts, b.Scripts[:min(len(a.Scripts), len(b.Scripts))], sameScript) {
		return "scripts"
	}
	return differentRows(&cut.Progress, &whole.Progress)
}

func withCommas(text string) string {
	value, _ := number(text)
	return grouped(value, 6)
}

func sameScript(cut, whole record.ScriptResult) bool {
	same := func(a, b float64) bool { return a == 0 || a == b }
	return cut.Name == whole.Name && same(float64(cut.Transactions), float64(whole.Transactions)) && same(cut.TPS, whole.TPS) &&
		same(cut.Latency.Mean, whole.Latency.Mean) && same(float64(cut.Retries), float64(whole.Retries))
}

func differentRows(cut, whole *capture.Series) string {
	for _, c := range cut.Columns {
		for i, value := range c.Values {
			if full, ok := valueOf(whole, c.Name, i); !ok || full != value && !math.IsNaN(value) {
				return "progress: " + c.Name
			}
		}
	}
	return ""
}
