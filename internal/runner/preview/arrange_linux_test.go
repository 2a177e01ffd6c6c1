package preview

import (
	"slices"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/runner/hosttuning"
)

// Servers that run one at a time need the memory of the largest.
func TestMemoryOfServersThatRunOneAtATime(t *testing.T) {
	t.Chdir(t.TempDir())
	e, _, err := decode.Parse("x.yaml", []byte(`
workloads: [select-only]
environments:
  small: {settings: {shared_buffers: 256MB}}
  large: {settings: {shared_buffers: 1TB}}
`), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(e, &hosttuning.Host{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if large := p.needs("large").Memory; p.SideBySide || p.Memory != large || large < 1<<40 {
		t.Errorf("%d bytes, want %d", p.Memory, large)
	}
}

// TestCachesAfterASwitch checks that servers run one at a time if the caches are to be dropped or filled at each
// switch, and that a warning says that a single server is never switched.
func TestCachesAfterASwitch(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]struct{ sideBySide, warned bool }{
		"environments: {a: {}, b: {settings: {work_mem: 8MB}}}":                  {true, false},
		"caches: prewarm\nenvironments: {a: {}, b: {settings: {work_mem: 8MB}}}": {false, false},
		"caches: prewarm\nenvironments: {a: {}}":                                 {true, true},
	} {
		e, _, err := decode.Parse("x.yaml", []byte("workloads: [select-only]\n"+text), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(e, &hosttuning.Host{}, false)
		if err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(p.Warnings, func(w experiment.Warning) bool { return w.Rule == "caches-kept" })
		if p.SideBySide != want.sideBySide || warned != want.warned {
			t.Errorf("%q: side by side %t, warned %t", text, p.SideBySide, warned)
		}
	}
}

// TestSharedDataNeedsItsSpaceOnce checks that environments that share their data run one at a time, and need the space
// and the load of one: that with the largest WAL.
func TestSharedDataNeedsItsSpaceOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	e, _, err := decode.Parse("x.yaml", []byte(`
workloads: [select-only]
dataset: {shared: true}
environments:
  small: {settings: {max_wal_size: 1GB}}
  large: {settings: {max_wal_size: 3GB}}
`), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	apart, err := New(e, &hosttuning.Host{}, false)
	if err != nil {
		t.Fatal(err)
	}
	e.Environments[1].DataOf = "small"
	p, err := New(e, &hosttuning.Host{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if p.SideBySide || !apart.SideBySide || !p.Sharing || p.Switches == 0 || 2*p.LoadTime != apart.LoadTime {
		t.Errorf("%+v", p)
	}
	small, large := apart.needs("small").Volumes["data"], apart.needs("large").Volumes["data"]
	if len(p.Disks) != 1 || p.Disks[0].Needed != large || apart.Disks[0].Needed != small+large || small >= large {
		t.Errorf("%+v, want %d; apart %+v", p.Disks, large, apart.Disks)
	}
}
