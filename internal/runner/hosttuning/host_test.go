package hosttuning

import (
	"strings"
	"testing"
)

// TestGround checks that the host is tuned for one environment after the other, and restored in
// between and at the end.
func TestGround(t *testing.T) {
	t.Parallel()
	m := newFakeKernel()
	g := hostOf(t, m, `
workloads: [tpcb-like]
allow_host: true
environments:
  plain: {}
  a: {tuning: [{vm.swappiness: 1, vm.dirty_expire_centisecs: 200}]}
  b: {tuning: [{vm.swappiness: 10}]}
`)
	before := m.String()
	for _, step := range []struct{ environment, swappiness, expire string }{
		{"a", "1", "200"}, {"a", "1", "200"}, {"b", "10", "3000"}, {"plain", "60", "3000"}, {"a", "1", "200"},
	} {
		if err := g.Tune(t.Context(), step.environment); err != nil {
			t.Fatal(err)
		}
		if m.files["/proc/sys/vm/swappiness"] != step.swappiness || m.files["/proc/sys/vm/dirty_expire_centisecs"] != step.expire {
			t.Errorf("for %s the machine is %v", step.environment, m)
		}
	}
	m.files["/proc/sys/vm/swappiness"] = "33"
	if err := g.InForce(t.Context()); err == nil || !strings.Contains(err.Error(), "vm.swappiness was set to 1, but is now 33") {
		t.Errorf("somebody else's change: %v", err)
	}
	m.files["/proc/sys/vm/swappiness"] = "1"
	if err := g.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := m.String(); after != before {
		t.Errorf("the machine is %s, and was %s", after, before)
	}
}

// TestNotPutBack checks that no environment runs on a machine that still has the tuning of another one.
func TestNotPutBack(t *testing.T) {
	t.Parallel()
	m := newFakeKernel()
	g := hostOf(t, m, `
workloads: [tpcb-like]
allow_host: true
environments: {plain: {}, a: {tuning: [{vm.swappiness: 1}]}}
`)
	if err := g.Tune(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	m.files["/proc/sys/vm/swappiness"] = "33" // by another process: it is left alone
	for range 2 {
		if err := g.Tune(t.Context(), "plain"); err == nil || !strings.Contains(err.Error(), "the tuning of a is still in force: ") || !strings.Contains(err.Error(), "vm.swappiness") {
			t.Errorf("the environment runs with the tuning of another one: %v", err)
		}
	}
	m.files["/proc/sys/vm/swappiness"] = "1" // the journal can undo it
}

// TestQuiet checks that the host is changed once few dirty pages remain, or after the time
// limit.
func TestQuiet(t *testing.T) {
	t.Parallel()
	m := newFakeKernel()
	g := hostOf(t, m, `
workloads: [tpcb-like]
allow_host: true
environments: {plain: {}, a: {tuning: [{vm.swappiness: 1}]}}
`)
	m.files["/proc/meminfo"] = "MemTotal: 1 kB\nDirty:              8192 kB\nWriteback:          4096 kB\n"
	if left, err := g.Quiet(t.Context(), "a"); err != nil || left != 12<<20 {
		t.Errorf("left %d, %v", left, err)
	}
	if left, err := g.Quiet(t.Context(), "plain"); err != nil || left != 0 {
		t.Errorf("where nothing is changed nothing is waited for: %d, %v", left, err)
	}
}
