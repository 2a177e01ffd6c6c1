package advice

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"

	"plinth/internal/diagnosis"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Threshold is the use at which a resource counts as full for more load. The file thresholds.yaml
// explains the keys.
type Threshold struct {
	Resource string  `yaml:"resource" json:"resource"`
	Short    string  `yaml:"short" json:"-"`
	Figure   string  `yaml:"figure" json:"figure"`
	Limit    float64 `yaml:"limit" json:"threshold"`
	Below    bool    `yaml:"below" json:"below,omitempty"`
	Then     string  `yaml:"then" json:"scale"`
	Source   string  `yaml:"source" json:"source"`
}

//go:embed thresholds.yaml
var thresholdsYAML []byte

// Resources returns the thresholds of all resources, in the order of a report.
func Resources() []Threshold { return allResources() }

var allResources = sync.OnceValue(func() []Threshold { return listed[Threshold](thresholdsYAML) })

// Headroom is how much of a resource an environment uses under a workload, on average over its runs.
type Headroom struct {
	Threshold
	Environment string  `json:"environment"`
	Workload    string  `json:"workload"`
	Use         float64 `json:"use"`
	Full        bool    `json:"full"` // there is no room
}

// headroom returns the use of each resource that is known.
func (s *study) headroom() []Headroom {
	var all []Headroom
	for _, t := range Resources() {
		if limit, given := s.Thresholds[t.Figure]; given {
			t.Limit, t.Source = limit, "given"
		}
		for _, r := range s.sheet.Rows {
			if strings.HasPrefix(t.Figure, "wal-") && !s.ownWAL(r.Environment) {
				continue
			}
			use := s.figure(r.Environment, r.Workload, t.Figure)
			if math.IsNaN(use) {
				continue
			}
			full := use >= t.Limit
			if t.Below {
				full = use < t.Limit
			}
			all = append(all, Headroom{Threshold: t, Environment: r.Environment, Workload: r.Workload, Use: use, Full: full})
		}
	}
	return all
}

// ownWAL reports whether the WAL of an environment has a volume of its own; otherwise it is with the data.
func (s *study) ownWAL(environment string) bool {
	return slices.ContainsFunc(s.Record.Environments[environment].Volumes, func(v record.Volume) bool { return v.Role == experiment.RoleWAL })
}

// Binding is the cause that binds most runs of a cell in an environment.
type Binding struct {
	Environment string  `json:"environment"`
	Cell        string  `json:"cell"`
	Cause       string  `json:"cause"`
	Title       string  `json:"title"`
	Share       float64 `json:"share"` // of the response time, on average
	First       int     `json:"first"` // in how many runs it comes first
	Runs        int     `json:"runs"`
}

// binds returns what binds the environments; nothing if their runs were not observed.
func (s *study) binds() []Binding {
	if s.bound != nil || s.Record.Import != nil {
		return s.bound
	}
	s.bound = []Binding{}
	o, err := diagnosis.OfRecord(s.Record, "")
	if err != nil {
		return s.bound
	}
	for _, c := range o.Cells {
		for _, b := range c.Environments {
			if len(b.Causes) > 0 {
				first := b.Causes[0]
				s.bound = append(s.bound, Binding{b.Environment, c.Path(), first.Cause, first.Title, first.Share, first.First, b.Runs})
			}
		}
	}
	return s.bound
}
