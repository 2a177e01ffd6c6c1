package record

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
)

// Names inside a record. docs/record.md describes them.
const (
	summaryFile     = "record.json"
	experimentFile  = "experiment.yaml"
	machineFile     = "machine.json"
	nowFile         = "now.json"
	environmentsDir = "environments"
	runsDir         = "runs"
	runningDir      = "running"
	runFile         = "run.json"
	pointsFile      = "points.parquet"
	histogramFile   = "latency.hlog"
	liveFile        = "live.jsonl"
	rawDir          = "raw"
)

// safeName is what an environment or a workload may be called: it becomes a
// directory, so neither separators nor a leading dot or hyphen.
var safeName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)

func checkName(kind, name string) error {
	if safeName.MatchString(name) {
		return nil
	}
	return fmt.Errorf("%q cannot be the name of %s: letters, digits, hyphens, dots and underscores only", name, kind)
}

// Path is where the run lives inside a record, with slashes:
// runs/two-disks/tpcb-like/c10-j4/r03, and r03.2 for a block's second attempt.
func (id RunID) Path() string {
	name := fmt.Sprintf("r%02d", id.Repeat)
	if id.Attempt > 1 {
		name += "." + strconv.Itoa(id.Attempt)
	}
	return path.Join(runsDir, id.Environment, id.Cell.Path(), name)
}

// check says why id cannot be that of a run.
func (id RunID) check() error {
	if err := checkName("an environment", id.Environment); err != nil {
		return err
	}
	if err := checkName("a workload", id.Workload); err != nil {
		return err
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"clients", id.Clients}, {"threads", id.Threads}, {"repeat", id.Repeat}, {"attempt", id.Attempt}} {
		if n.value < 1 {
			return fmt.Errorf("%s is %d", n.name, n.value)
		}
	}
	if !(id.Rate >= 0 && id.Rate <= 1e12) {
		return fmt.Errorf("rate is %g", id.Rate)
	}
	return nil
}
