package inspect

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/host"
)

func TestHealthy(t *testing.T) {
	if found := Findings(*healthy()); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}

// TestNothingKnown checks that unreadable values cause neither a finding nor a panic.
func TestNothingKnown(t *testing.T) {
	server := *healthyServer()
	server.Settings = nil
	if found := Findings(Input{Local: true}); len(found) > 0 {
		t.Errorf("of a machine without facts: %v", found)
	}
	if found := Findings(Input{Local: true, Server: &server, Now: healthy().Now}); len(found) > 0 {
		t.Errorf("of a server without settings: %v", found)
	}
}

// TestEveryRule checks that each rule has a test, a unique name, a weight from 1 to 100, a
// reason, and advice.
func TestEveryRule(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules() {
		if seen[r.name] {
			t.Errorf("duplicate rule %s", r.name)
		}
		seen[r.name] = true
		test := slices.IndexFunc(ruleTests, func(test ruleTest) bool { return test.rule == r.name })
		if test < 0 {
			t.Errorf("%s has no test", r.name)
			continue
		}
		in := healthy()
		ruleTests[test].bad(in)
		for _, f := range Findings(*in) {
			if f.Benchmark == "" && f.Production == "" || f.Do == "" || strings.Contains(f.Do, "{}") {
				t.Errorf("%s has no reason or no advice: %+v", f.Rule, f)
			}
		}
		if r.weight <= 0 || r.weight > 100 {
			t.Errorf("%s weighs %d", r.name, r.weight)
		}
	}
	for _, test := range ruleTests {
		if !seen[test.rule] {
			t.Errorf("unknown rule %s", test.rule)
		}
	}
}

// TestOrder checks that the highest weight comes first, and that severities are in order.
func TestOrder(t *testing.T) {
	in := healthy()
	for _, test := range []string{"io-timing", "governor", "fsync-off", "smt"} {
		ruleTests[slices.IndexFunc(ruleTests, func(r ruleTest) bool { return r.rule == test })].bad(in)
	}
	var got []string
	for _, f := range Findings(*in) {
		got = append(got, string(f.Severity)+" "+f.Rule)
	}
	want := []string{"critical fsync-off", "warning governor", "note smt", "note io-timing"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestServerElsewhere checks that a machine that only runs the load generator gets the findings
// that matter to a load generator, and none about disks.
func TestServerElsewhere(t *testing.T) {
	in := healthy()
	for _, test := range ruleTests[:20] {
		test.bad(in)
	}
	in.Machine.Places[0].InMemory = true
	set("fsync", "off")(in)
	in.Local = false
	var got []string
	for _, f := range Findings(*in) {
		got = append(got, f.Rule)
	}
	for _, never := range []string{"in-memory", "flush-storm", "thp-always", "overcommit", "swap-in-use", "zone-reclaim", "numa-unpinned"} {
		if slices.Contains(got, never) {
			t.Errorf("%s is found on a machine that has no server", never)
		}
	}
	for _, needed := range []string{"fsync-off", "governor", "clock-source"} {
		if !slices.Contains(got, needed) {
			t.Errorf("%s is not found: %v", needed, got)
		}
	}
}

// TestSet checks that the advice depends on the source of a setting.
func TestSet(t *testing.T) {
	for source, want := range map[string]string{
		"configuration file": "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()",
		"command line":       "start the server without fsync on its command line, which overrides its configuration files",
		"database":           `ALTER DATABASE "The Shop" RESET fsync`,
		"user":               "ALTER ROLE boss RESET fsync",
		"database user":      `ALTER ROLE boss IN DATABASE "The Shop" RESET fsync`,
		"client":             "remove fsync from PGOPTIONS and from the connection string",
	} {
		in := healthy()
		in.Server.Database = "The Shop"
		set("fsync", "off")(in)
		for i := range in.Server.Settings {
			in.Server.Settings[i].Source = source
		}
		if got := Findings(*in)[0].Do; got != want {
			t.Errorf("set by %s: %s, want %s", source, got, want)
		}
	}
}

// TestShellWords checks that subjects are quoted: users copy the advice into shells.
func TestShellWords(t *testing.T) {
	for text, want := range map[string]string{"/mnt/data-1": "/mnt/data-1", "a b": "'a b'", "x'; rm -rf /": `'x'\''; rm -rf /'`} {
		if got := nothing.at(text).subject; got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	in := Input{Machine: host.Inventory{Places: []host.Place{{Role: "data", Disks: []string{"b"}}, {Role: "wal", Disks: []string{"a"}}},
		Disks: []host.Disk{{Name: "a"}, {Name: "b"}, {Name: "c"}}}}
	if got := in.disksWith(func(host.Disk) bool { return true }); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("disks of all places are %v", got)
	}
	if got := in.disks("data"); len(got) != 1 || got[0].Name != "b" {
		t.Errorf("disks of data are %v", got)
	}
}
