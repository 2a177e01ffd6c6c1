package postgres

import (
	"maps"
	"strings"
	"testing"

	"plinth/internal/host"
	"plinth/internal/record"
)

func described(change func(*record.Environment)) record.Environment {
	e := record.Environment{
		Name: "a", Version: "15.18", VersionN: 150018, Transport: "socket", RoundTrip: 20_000,
		Settings: map[string]string{"shared_buffers": "128MB", "wal_buffers": "4MB", "port": "5432", "data_directory": "/a", "fsync": "on"},
		Declared: map[string]string{}, Dataset: record.Dataset{Rows: 1_000_000, Bytes: 150 << 20},
	}
	if change != nil {
		change(&e)
	}
	return e
}

func TestParity(t *testing.T) {
	for _, test := range []struct {
		name      string
		change    func(*record.Environment)
		rule, ext string
	}{
		{"the same", nil, "", ""},
		{"what must differ", func(e *record.Environment) {
			e.Settings["port"], e.Settings["data_directory"], e.Settings["in_hot_standby"] = "1", "/b", "off"
		}, "", ""},
		{"settings", func(e *record.Environment) { e.Settings["fsync"], e.Settings["shared_buffers"] = "off", "1GB" },
			"parity-settings", "a and b differ in settings: fsync: on / off, shared_buffers: 128MB / 1GB"},
		{"declared", func(e *record.Environment) {
			e.Declared["shared_buffers"] = "1GB"
			e.Settings["shared_buffers"], e.Settings["wal_buffers"] = "1GB", "16MB"
		}, "", ""},
		{"a setting of one only", func(e *record.Environment) { e.Settings["pg_stat_statements.max"] = "" },
			"parity-settings", `a and b differ in settings: pg_stat_statements.max: (none) / ""`},
		{"version", func(e *record.Environment) {
			e.Version, e.VersionN, e.Settings["io_method"] = "18.4", 180004, "worker"
		}, "parity-version", "a and b differ in version: 15.18 / 18.4"},
		{"transport", func(e *record.Environment) { e.Transport = "tcp" }, "parity-transport", "a and b differ in transport: socket / tcp"},
		{"where load generators elsewhere reach it", func(e *record.Environment) {
			e.Address, e.Settings["port"], e.Settings["listen_addresses"] = "192.0.2.1:40001", "40001", "192.0.2.1"
		}, "", ""},
		{"slow, without a network", func(e *record.Environment) { e.RoundTrip = 650_000 },
			"parity-round-trip", "a and b differ in round trip of an empty query: 20µs / 650µs"},
		{"sockets", func(e *record.Environment) { e.RoundTrip = 131_000 }, "", ""},
		{"synchronous replicas of an operator", func(e *record.Environment) {
			e.Kubernetes = &record.Kubernetes{Synchronous: &record.Synchronous{}}
			e.Settings["synchronous_standby_names"] = `ANY 1 ("b-1","b-2")`
		}, "", ""},
		{"rows", func(e *record.Environment) { e.Dataset.Rows = 900_000 }, "parity-dataset", "a and b differ in dataset: rows: 1000000 / 900000"},
		{"size", func(e *record.Environment) { e.Dataset.Bytes = 300 << 20 }, "parity-dataset", "a and b differ in dataset: size: 150MiB / 300MiB"},
		{"nearly as large", func(e *record.Environment) { e.Dataset.Bytes += 100 << 10; e.Dataset.Rows += 3 }, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := described(nil), described(test.change)
			b.Name = "b"
			before := maps.Clone(a.Settings)
			notes := Kind{}.Parity(a, b)
			if !maps.Equal(before, a.Settings) {
				t.Error("Parity has changed what it was given")
			}
			switch {
			case test.rule == "" && len(notes) == 0:
			case test.rule != "" && len(notes) == 1 && notes[0].Rule == test.rule && notes[0].Text == test.ext:
			default:
				t.Errorf("got %+v", notes)
			}
		})
	}
}

// TestParityOfStorage checks that two existing servers are compared by how they reach their disks, and
// plinth's own are not.
func TestParityOfStorage(t *testing.T) {
	on := func(kind, label string, remote ...host.Remote) record.Environment {
		return described(func(e *record.Environment) {
			e.Kind, e.Label, e.Volumes = kind, label, []record.Volume{{Role: "data", Remote: remote}}
		})
	}
	longhorn := host.Remote{Name: "sda", Protocol: "iscsi", Product: "Longhorn", RoundTrip: 1e5}
	for _, tc := range []struct {
		name string
		a, b record.Environment
		want string
	}{
		{"one over a network", on("connected", ""), on("connected", "", longhorn), "a and a differ in storage: data: this machine / iSCSI, Longhorn"},
		{"both alike", on("connected", "", longhorn), on("connected", "", host.Remote{Name: "sdb", Protocol: "iscsi", Product: "Longhorn"}), ""},
		{"named by labels", on("connected", "local"), on("connected", "Longhorn", longhorn), ""},
		{"plinth's own", on("own", ""), on("own", "", longhorn), ""},
	} {
		notes := Kind{}.Parity(tc.a, tc.b)
		switch {
		case tc.want == "" && len(notes) == 0:
		case len(notes) != 1 || notes[0].Rule != "parity-network-storage" || notes[0].Text != tc.want:
			t.Errorf("%s: %+v", tc.name, notes)
		}
	}
}

// TestParityOfTablespaces checks that a difference declared by the storage gets no note.
func TestParityOfTablespaces(t *testing.T) {
	with := func(roles []string, names ...string) record.Environment {
		return described(func(e *record.Environment) {
			for _, name := range names {
				e.Dataset.Tablespaces = append(e.Dataset.Tablespaces, record.Tablespace{Name: name})
			}
			for _, role := range roles {
				e.Volumes = append(e.Volumes, record.Volume{Role: role})
			}
		})
	}
	temp := with([]string{"data", "temp"}, tempTablespace)
	temp.Settings["temp_tablespaces"] = tempTablespace
	for _, test := range []struct {
		name string
		a, b record.Environment
		want string
	}{
		{"none", with(nil), with(nil), ""},
		{"the same", with(nil, "cold", "hot"), with(nil, "cold", "hot"), ""},
		{"asked for by one", with([]string{"data", "tablespace cold"}, "cold"), with([]string{"data"}), ""},
		{"temporary files of one", temp, with([]string{"data"}), ""},
		{"asked for by nobody", with(nil), with([]string{"data"}, "cold"), "a and a differ in tablespaces: (none) / cold"},
		{"one of each", with(nil, "cold", "hot"), with([]string{"tablespace bulk"}, "bulk", "ice", "hot"), "a and a differ in tablespaces: cold / ice"},
	} {
		var got []string
		for _, note := range (Kind{}).Parity(test.a, test.b) {
			got = append(got, note.Text)
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestParityOfRoundTrips checks that the network is mentioned only where there is one.
func TestParityOfRoundTrips(t *testing.T) {
	const far, here = "the network is part of the measurement", "no network is involved"
	for _, c := range []struct {
		kind      string
		transport string
		roundTrip float64
		hint      string
	}{
		{"connected", "tcp", 450_000, far},
		{"connected", "tcp", 60_000, ""},
		{"connected", "tls", 90_000, far},
		{"connected", "tcp", 650_000, far},
		{"connected", "socket", 650_000, here},
		{"connected", "socket", 450_000, ""},
		{"own", "tcp", 650_000, here}, // plinth itself uses the socket
		{"own", "tcp", 450_000, ""},
	} {
		b := described(nil)
		b.Kind, b.Transport, b.RoundTrip = c.kind, c.transport, c.roundTrip
		var hint string
		for _, note := range (Kind{}).Parity(described(nil), b) {
			if note.Rule == "parity-round-trip" {
				hint = note.Hint
			}
		}
		if !strings.HasPrefix(hint, c.hint) || (hint == "") != (c.hint == "") {
			t.Errorf("%s, %s, %g: %q", c.kind, c.transport, c.roundTrip, hint)
		}
	}
}
