package record

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
)

// Names of files and directories in a record; see docs/record.md.
const (
	summaryFile     = "record.json"
	experimentFile  = "experiment.yaml"
	machineFile     = "machine.json"
	importFile      = "import.json"
	nowFile         = "now.json"
	environmentsDir = "environments"
	runsDir         = "runs"
	runningDir      = "running"
	runFile         = "run.json"
	pointsFile      = "points.parquet"
	histogramFile   = "latency.hlog"
	relationsBefore = "relations-before.json.gz"
	relationsAfter  = "relations-after.json.gz"
	liveFile        = "live.jsonl"
	rawDir          = "raw"
)

// Limits on the size of files that are read, in bytes, far above what plinth writes.
const (
	maxSummaryFile     = 64 << 20
	maxExperimentFile  = 8 << 20
	maxEnvironmentFile = 8 << 20
	maxMachineFile     = 8 << 20
	maxImportFile      = 64 << 20
	maxRunFile         = 8 << 20
	maxNowFile         = 64 << 10
	maxLiveFile        = 256 << 20
)

// safeName matches permitted names of environments and workloads. They become directories, so
// separators and a leading dot or hyphen are excluded.
var safeName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)

func checkName(kind, name string) error {
	if safeName.MatchString(name) {
		return nil
	}
	return fmt.Errorf("%q is not a valid name for %s: use only letters, digits, hyphens, dots and underscores", name, kind)
}

// Path returns the run's directory inside a record, with slashes:
// runs/two-disks/tpcb-like/c10-j4/r03, or r03.2 for a block's second attempt.
func (id RunID) Path() string {
	name := fmt.Sprintf("r%02d", id.Repeat)
	if id.Attempt > 1 {
		name += "." + strconv.Itoa(id.Attempt)
	}
	return path.Join(runsDir, id.Environment, id.Cell.Path(), name)
}

// check returns an error if id cannot belong to a run.
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
