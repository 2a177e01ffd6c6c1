//go:build linux

package postgres

import (
	"strings"
	"testing"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
)

// TestCaseOfASetting checks that names ignore case, so that the environment's value always
// overrides the experiment's, whatever the spelling.
func TestCaseOfASetting(t *testing.T) {
	config := ownConfig(t, install.Programs{})
	config.Experiment.Settings = map[string]string{"Work_Mem": "4MB"}
	config.Environment = experiment.Environment{Name: "here", Settings: map[string]string{"work_mem": "64MB"}}
	own := newServer(t, config)
	for range 50 { // often enough for a random order to show
		if text := settingsText(own.settings()); !strings.Contains(text, "work_mem = '64MB'\n") {
			t.Fatalf("not what the environment says:\n%s", text)
		}
	}
}
