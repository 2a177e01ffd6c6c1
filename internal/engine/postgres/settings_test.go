//go:build linux

package postgres

import (
	"strings"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/experiment"
)

// TestCaseOfASetting: a name has no case, so that the environment's spelling of
// it counts, and never now this one and now that.
func TestCaseOfASetting(t *testing.T) {
	config := ownConfig(t, Programs{})
	config.Experiment.Settings = map[string]string{"Work_Mem": "4MB"}
	config.Environment = experiment.Environment{Name: "here", Settings: map[string]string{"work_mem": "64MB"}}
	own := newServer(t, config)
	for range 50 { // as often as a random order needs to show
		if text := settingsText(own.settings()); !strings.Contains(text, "work_mem = '64MB'\n") {
			t.Fatalf("not what the environment says:\n%s", text)
		}
	}
}

// TestEnoughConnections: where max_connections is not declared, all clients get
// in; where it is, it stands as it is written.
func TestEnoughConnections(t *testing.T) {
	for _, test := range []struct {
		clients       []int
		connect, said string
		want          string
	}{
		{[]int{1, 90}, "once", "", "100"}, {[]int{1, 100}, "once", "", "110"}, {[]int{100}, "each", "", "210"},
		{[]int{100}, "once", "102", "102"},
	} {
		config := ownConfig(t, Programs{})
		config.Experiment.Clients, config.Experiment.Connect = test.clients, test.connect
		if test.said != "" {
			config.Experiment.Settings = map[string]string{"Max_Connections": test.said}
		}
		if got := newServer(t, config).settings()["max_connections"]; got != test.want {
			t.Errorf("clients %v, connect %s, declared %q: %s, want %s", test.clients, test.connect, test.said, got, test.want)
		}
	}
}

func TestNeedsOfAConnectedServer(t *testing.T) {
	exp := smallExperiment()
	exp.Dataset.Scale = 100
	own, err := Needs(exp, experiment.Environment{Name: "here"})
	must(t, err)
	there, err := Needs(exp, experiment.Environment{Name: "there", Connect: "postgresql://there", Disposable: true})
	must(t, err)
	if there.LoadTime == 0 || there.LoadTime != own.LoadTime {
		t.Errorf("loading takes %v there, %v here", there.LoadTime, own.LoadTime)
	}
	if there.LoadTime = 0; there != (engine.Needs{}) {
		t.Errorf("it takes %+v of this machine", there)
	}
}
