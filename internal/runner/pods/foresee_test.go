package pods

import (
	"fmt"
	"strings"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/runner/preview"
	"plinth/internal/unit"
)

// TestHugePagesTooFew: a server whose shared memory does not fit into the huge pages of its pod does not
// start with huge_pages: on, and uses none of them with try.
func TestHugePagesTooFew(t *testing.T) {
	const mib = int64(unit.MiB)
	for _, c := range []struct {
		given, need   int64
		setting       string
		failure, warn bool
	}{
		{0, 320 * mib, "on", false, false}, // of the pod's ordinary memory
		{320 * mib, 320 * mib, "on", false, false},
		{256 * mib, 320 * mib, "on", true, false},
		{256 * mib, 320 * mib, "try", false, true},
		{256 * mib, 320 * mib, "", false, true},
		{256 * mib, 320 * mib, "off", false, false},
	} {
		env := experiment.Environment{Name: "one", Limits: experiment.Limits{HugePages: unit.Size(c.given)}}
		if c.setting != "" {
			env.Settings = map[string]string{"huge_pages": c.setting}
		}
		s := &Site{experiment: &experiment.Experiment{Environments: []experiment.Environment{env}}}
		warnings, err := s.checkHugePages([]preview.EnvironmentNeeds{{Name: "one", Needs: engine.Needs{SharedMemory: c.need}}})
		if (err != nil) != c.failure || (len(warnings) > 0) != c.warn {
			t.Errorf("%+v: %v, %v", c, warnings, err)
		}
		text, advice := fmt.Sprint(warnings), fmt.Sprint(warnings)
		if err != nil {
			text, advice = err.Error(), hint.Of(err)
		}
		if (c.failure || c.warn) && (!strings.Contains(text, "environment one: limits.huge_pages gives the pod 256MiB") || !strings.Contains(advice, "raise limits.huge_pages")) {
			t.Errorf("%+v: %s", c, text)
		}
	}
}
