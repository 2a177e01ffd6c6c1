package pods

import (
	"fmt"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// TestHugePagesTooFew: a server whose shared memory does not fit into the huge pages of its pod does not
// start with huge_pages: on, and uses none of them with try.
func TestHugePagesTooFew(t *testing.T) {
	for _, c := range []struct {
		given         unit.Size
		setting       string
		failure, warn bool
	}{
		{0, "on", false, false}, // of the pod's ordinary memory
		{384 * unit.MiB, "on", false, false},
		{320 * unit.MiB, "on", true, false}, // shared_buffers alone would fit
		{256 * unit.MiB, "on", true, false},
		{256 * unit.MiB, "try", false, true},
		{256 * unit.MiB, "", false, true},
		{256 * unit.MiB, "off", false, false},
	} {
		env := experiment.Environment{
			Name: "one", Kubernetes: experiment.Kubernetes{Operator: experiment.OperatorNone}, Limits: experiment.Limits{HugePages: c.given},
			Settings: map[string]string{"shared_buffers": "320MB"},
		}
		if c.setting != "" {
			env.Settings["huge_pages"] = c.setting
		}
		s := &Site{experiment: &experiment.Experiment{Engine: experiment.EnginePostgres, Environments: []experiment.Environment{env}}}
		warnings, err := s.checkHugePages()
		if (err != nil) != c.failure || (len(warnings) > 0) != c.warn {
			t.Errorf("%+v: %v, %v", c, warnings, err)
		}
		text, advice := fmt.Sprint(warnings), fmt.Sprint(warnings)
		if err != nil {
			text, advice = err.Error(), hint.Of(err)
		}
		if (c.failure || c.warn) && (!strings.Contains(text, "environment one: limits.huge_pages gives the pod "+c.given.String()) || !strings.Contains(advice, "raise limits.huge_pages")) {
			t.Errorf("%+v: %s", c, text)
		}
	}
}

// TestBestEffort: a server whose pod has neither CPUs nor memory of its own is named; not one that plinth does
// not create.
func TestBestEffort(t *testing.T) {
	none := experiment.Kubernetes{Operator: experiment.OperatorNone}
	all := []experiment.Environment{
		{Name: "cpus", Kubernetes: none, Limits: experiment.Limits{CPUs: 2}},
		{Name: "quota", Kubernetes: none, Limits: experiment.Limits{CPUQuota: 0.5}},
		{Name: "memory", Kubernetes: none, Limits: experiment.Limits{Memory: unit.GiB}},
		{Name: "theirs", Kubernetes: experiment.Kubernetes{Existing: "service/db"}},
	}
	s := &Site{experiment: &experiment.Experiment{Environments: all}}
	if warnings := s.checkLimits(); len(warnings) > 0 {
		t.Errorf("%v", warnings)
	}
	for _, name := range []string{"a", "b"} {
		s.experiment.Environments = append(s.experiment.Environments, experiment.Environment{Name: name, Kubernetes: none})
	}
	if warnings := s.checkLimits(); len(warnings) != 1 || !strings.HasSuffix(warnings[0].Text, "; this concerns a, b") {
		t.Errorf("%v", warnings)
	}
}
