package overssh

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

const drivenApart = `name: apart
workloads: [select-only]
clients: [4]
threads: [2]
duration: 2s
warmup: 3s # enough for two load generators to connect, however busy the machine is
repeats: 1
dataset: {scale: 1}
`

// TestDriversApart drives servers from other machines: those of two hosts from a third one, then one
// here from two hosts at once.
func TestDriversApart(t *testing.T) {
	l := newLab(t, "db1", "db2", "load1")
	l.inside = true
	for name, c := range map[string]struct {
		text    string
		drivers []string
	}{
		"one": {"driver: {at: ssh://load1}\nenvironments:\n  one: {at: ssh://db1, storage: {data: /tmp/data}}\n  two: {at: ssh://db2, storage: {data: /tmp/data}}\n", []string{"ssh://load1"}},
		"two": {"driver: {at: [ssh://load1, ssh://db2]}\nenvironments:\n  here: {storage: {data: .}}\n", []string{"ssh://load1", "ssh://db2"}},
	} {
		l.dir = t.TempDir()
		l.write(name+".yaml", drivenApart+c.text)
		if said, code := l.plinth("run", name+".yaml"); code != 0 {
			t.Fatalf("%s: exit code %d: %s", name, code, said)
		}
		rec := l.record()
		for _, run := range rec.Runs {
			if run.Status != record.Valid || run.Result.TPS <= 0 || len(run.Generators) != len(c.drivers) || run.Telemetry == nil {
				t.Errorf("%s: run in %s is %s, %v, driven by %+v", name, run.Environment, run.Status, run.Reasons, run.Generators)
				continue
			}
			clients, total := 0, int64(0)
			for i, g := range run.Generators {
				if g.At != c.drivers[i] || g.Transactions <= 0 || g.Network == nil || g.Network.RoundTrip <= 0 || g.Evidence == nil || g.Evidence.Generator.CPU <= 0 {
					t.Errorf("%s: generator %+v, network %+v", name, g, g.Network)
				}
				clients, total = clients+g.Clients, total+g.Transactions
			}
			if clients != 4 || total != run.Result.Transactions {
				t.Errorf("%s: the generators had %d clients and %d transactions of %d", name, clients, total, run.Result.Transactions)
			}
		}
		if said, code := l.plinth("show", "latest"); code != 0 || !strings.Contains(said, "driven over the network from "+strings.Join(c.drivers, ", ")) {
			t.Errorf("exit code %d: %s", code, said)
		}
		for _, host := range []string{"db1", "db2", "load1"} {
			l.clean(host)
		}
	}
}

const oneDriver = drivenApart + `driver: {at: ssh://load1}
environments:
  one: {at: ssh://db1, storage: {data: /tmp/data}}
`

// TestNetworkBetween checks what plinth says of a lossy network between a load generator and its server,
// and of one that lets nothing pass.
func TestNetworkBetween(t *testing.T) {
	l := newLab(t, "db1", "load1")
	l.write("apart.yaml", oneDriver)
	l.hosts["db1"].Run("iptables -A INPUT -p tcp ! --dport 22 -m statistic --mode random --probability 0.05 -j DROP")
	if said, code := l.plinth("run", "apart.yaml"); code != 0 && !strings.Contains(said, "no valid run") {
		t.Fatalf("exit code %d: %s", code, said)
	}
	rec := l.record()
	for _, run := range rec.Runs {
		if !slices.ContainsFunc(run.Warnings, func(n record.Note) bool { return n.Rule == "network-retransmits" }) {
			t.Errorf("the network is lossy: %+v, but the warnings are %v", run.Generators[0].Network, run.Warnings)
		}
	}
	l.hosts["db1"].Run("iptables -F INPUT; iptables -A INPUT -p tcp ! --dport 22 -j REJECT")
	said, code := l.plinth("run", "apart.yaml")
	if code != 2 || !strings.Contains(said, "ssh://load1: the load generator cannot reach the server") || !strings.Contains(said, "listen") {
		t.Errorf("exit code %d: %s", code, said)
	}
	for _, host := range []string{"db1", "load1"} {
		l.clean(host)
	}
}
