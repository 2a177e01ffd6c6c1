package advice

import (
	_ "embed"
	"math"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
)

// Threshold is the use of a resource from which on it has no room for more load. The file thresholds.yaml
// explains the keys.
type Threshold struct {
	Resource string  `yaml:"resource" json:"resource"`
	Figure   string  `yaml:"figure" json:"figure"`
	Limit    float64 `yaml:"limit" json:"threshold"`
	Below    bool    `yaml:"below" json:"below,omitempty"`
	Then     string  `yaml:"then" json:"scale"`
	Source   string  `yaml:"source" json:"source"`
}

//go:embed thresholds.yaml
var thresholdsYAML []byte

// thresholds returns all thresholds, in the order of a report.
func thresholds() []Threshold {
	var all []Threshold
	if yaml.Unmarshal(thresholdsYAML, &all) != nil {
		return nil // a test reads the file
	}
	return all
}

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
	for _, t := range thresholds() {
		for _, r := range s.sheet.Rows {
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

func tps() experiment.Metric {
	m, _ := experiment.ParseMetric("tps") // always known
	return m
}
