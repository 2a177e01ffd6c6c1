//go:build linux

package postgres

import (
	"strings"
	"testing"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
)

// TestCaseOfASetting: a name has no case, so that the environment's spelling of
// it counts, and never now this one and now that.
func TestCaseOfASetting(t *testing.T) {
	config := ownConfig(t, install.Programs{})
	config.Experiment.Settings = map[string]string{"Work_Mem": "4MB"}
	config.Environment = experiment.Environment{Name: "here", Settings: map[string]string{"work_mem": "64MB"}}
	own := newServer(t, config)
	for range 50 { // as often as a random order needs to show
		if text := settingsText(own.settings()); !strings.Contains(text, "work_mem = '64MB'\n") {
			t.Fatalf("not what the environment says:\n%s", text)
		}
	}
}
