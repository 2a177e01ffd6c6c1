//go:build linux

package postgres

import (
	"reflect"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// needsOfTablespaces checks that the parts of the dataset count towards their own volumes; all is
// the need of a single volume.
func needsOfTablespaces(t *testing.T, exp *experiment.Experiment, all int64) {
	t.Helper()
	place := experiment.Volume{Directory: "/x"}
	env := experiment.Environment{Storage: experiment.Storage{
		Temp: place, Tablespaces: []experiment.Tablespace{{Name: "cold", Volume: place}, {Name: "spare", Volume: place}},
	}}
	exp.Dataset.Tablespace, exp.Dataset.IndexSpace = "cold", "pg_default"
	needs, err := Kind{}.Needs(exp, env)
	must(t, err)
	v := needs.Volumes
	if len(v) != 4 || v["tablespace cold"] < 130e6 || v["tablespace spare"] != 0 || v["data"]+v["tablespace cold"] != all || v["temp"] < 20e6 {
		t.Errorf("tables in a tablespace need %v, all together %d", v, all)
	}
	exp.Dataset.Tablespace, exp.Dataset.IndexSpace = "", "spare"
	needs, err = Kind{}.Needs(exp, env)
	must(t, err)
	v = needs.Volumes
	if v["tablespace cold"] != 0 || v["tablespace spare"] < 22e6 || v["data"]+v["tablespace spare"] != all {
		t.Errorf("indexes in a tablespace need %v, all together %d", v, all)
	}
	exp.Dataset.IndexSpace = ""
}

func TestNeeds(t *testing.T) {
	exp := smallExperiment()
	exp.Dataset.Scale = 10
	exp.Settings = map[string]string{"Shared_Buffers": "1900MB", "max_connections": "839", "wal_buffers": "16MB", "max_wal_size": "2GB"}
	needs, err := Kind{}.Needs(exp, experiment.Environment{Name: "here"})
	must(t, err)
	// PostgreSQL 15 says shared_memory_size is 2002 MB.
	if mib := unit.Size(needs.SharedMemory) / unit.MiB; mib < 1970 || mib > 2030 {
		t.Errorf("shared memory is estimated as %d MiB", mib)
	}
	if needs.Memory-needs.SharedMemory < 150e6 || needs.Memory-needs.SharedMemory > 165e6 { // 157 MB were measured
		t.Errorf("the dataset is estimated as %d bytes", needs.Memory-needs.SharedMemory)
	}
	if len(needs.Volumes) != 1 || needs.Volumes["data"] < 2<<30 || needs.LoadTime <= 0 || needs.SwitchTime <= 0 {
		t.Errorf("needs %+v", needs)
	}
	apart, err := Kind{}.Needs(exp, experiment.Environment{Storage: experiment.Storage{WAL: experiment.Volume{Directory: "/wal"}}})
	must(t, err)
	if v := apart.Volumes; len(v) != 2 || v["wal"] < 2<<30 || v["data"]+v["wal"] != needs.Volumes["data"] {
		t.Errorf("with a WAL volume: %+v", apart)
	}
	needsOfTablespaces(t, exp, needs.Volumes["data"])
	none, err := Kind{}.Needs(exp, experiment.Environment{Connect: "host=there"})
	if err != nil || !reflect.DeepEqual(none, engine.Needs{LoadTime: needs.LoadTime}) {
		t.Errorf("a connected server needs %+v, %v", none, err)
	}
	exp.Settings["shared_buffers"] = "much"
	exp.Settings["Shared_Buffers"] = "much"
	_, err = Kind{}.Needs(exp, experiment.Environment{Name: "here"})
	mustRefuse(t, err, `environment here: shared_buffers: "much" is not an amount of memory`, "")
}

// TestManyClients checks that plinth's own server allows all clients unless the experiment says
// otherwise.
func TestManyClients(t *testing.T) {
	own := newServer(t, ownConfig(t, install.Programs{}))
	for _, test := range []struct {
		clients       int
		connect, want string
	}{{50, "once", "100"}, {100, "once", "110"}, {100, "each", "210"}} {
		own.Experiment.Clients, own.Experiment.Connect = []int{1, test.clients}, test.connect
		if got := own.settings()["max_connections"]; got != test.want {
			t.Errorf("%d clients connecting %s: max_connections is %q", test.clients, test.connect, got)
		}
	}
	own.Experiment.Settings["Max_Connections"] = "839"
	if got := own.settings()["max_connections"]; got != "839" {
		t.Errorf("max_connections is %s, not as declared", got)
	}
}
