package probe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/driver/fio"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
	"plinth/internal/unit"
)

func foundFio(t *testing.T) fio.Program {
	t.Helper()
	program, err := fio.Find(t.Context(), launch.NewLocal())
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func TestLookRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]struct {
		options    Options
		want, hint string
	}{
		"nothing":   {Options{Path: filepath.Join(dir, "no")}, "no such file or directory", targetHint},
		"below":     {Options{Path: filepath.Join(file, "x")}, "not a directory", ""},
		"a file":    {Options{Path: file}, "neither a directory nor a block device", targetHint},
		"a tty":     {Options{Path: "/dev/null"}, "neither a directory nor a block device", targetHint},
		"too large": {Options{Path: dir, Size: 1 << 60}, "more than half", "or use --size"},
		"erase":     {Options{Path: dir, Erase: true}, "it is a directory", "omit --erase"},
	} {
		_, err := look(try.options)
		if err == nil || !strings.Contains(err.Error(), try.want) || !strings.Contains(hint.Of(err), try.hint) {
			t.Errorf("%s: %v, hint %q", name, err, hint.Of(err))
		}
	}
}

func TestSizes(t *testing.T) {
	for name, try := range map[string]struct {
		options Options
		free    unit.Size
		want    unit.Size
		hint    string
	}{
		"usual":     {Options{}, 10 * unit.GiB, unit.GiB, ""},
		"just":      {Options{}, 2 * unit.GiB, unit.GiB, ""},
		"sustained": {Options{Sustained: time.Minute}, 10 * unit.GiB, 4 * unit.GiB, ""},
		"said":      {Options{Size: 5 * unit.GiB}, 10 * unit.GiB, 5 * unit.GiB, ""},
		"too much":  {Options{Size: 6 * unit.GiB}, 10 * unit.GiB, 0, "free space on it, or use --size 5120MiB"},
		"little":    {Options{}, unit.GiB, 0, "free space on it, or use --size 512MiB"},
		"full":      {Options{}, unit.MiB, 0, "free space on it"},
	} {
		got, err := try.options.sizeWithin(try.free)
		if got != try.want || hint.Of(err) != try.hint || (err != nil) != (try.want == 0) {
			t.Errorf("%s: %s, %v, hint %q", name, got, err, hint.Of(err))
		}
	}
}

func TestNames(t *testing.T) {
	for want, target := range map[string]Target{
		"samsung-ssd-980-pro-1tb": {Model: "Samsung SSD 980 PRO 1TB", Device: "nvme0n1"},
		"vda":                     {Device: "vda", Filesystem: "ext4"},
		"tmpfs":                   {Filesystem: "tmpfs"},
		"disk":                    {},
	} {
		if got := target.name(); got != want {
			t.Errorf("%+v: got %s, want %s", target, got, want)
		}
	}
}

func TestWeaknesses(t *testing.T) {
	of := func(p probe) (rules string) {
		for _, n := range p.notes() {
			rules += n.Rule + " "
		}
		return strings.TrimSpace(rules)
	}
	fine := Target{Direct: true}
	with := func(change func(*Target)) probe {
		target := fine
		change(&target)
		return probe{target: target}
	}
	virtual := probe{target: fine}
	virtual.machine.Virtualisation, virtual.machine.Cgroup.IOLimits = "kvm", "259:0 rbps=1048576"
	for want, p := range map[string]probe{
		"":                       {target: fine},
		"virtual-disk io-limits": virtual,
		"in-memory":              with(func(t *Target) { t.place.InMemory = true }),
		"network":                with(func(t *Target) { t.place.Network = true }),
		"page-cache":             with(func(t *Target) { t.Direct = false }),
		"page-cache degraded": with(func(t *Target) {
			t.place.Layers = []host.Layer{{Kind: "loop", Detail: "/x"}, {Kind: "md raid1", Missing: 1, Sync: "idle"}}
		}),
		"resync": with(func(t *Target) {
			t.place.Layers = []host.Layer{{Kind: "loop", Detail: "/x, direct"}, {Kind: "md raid1", Sync: "resync"}}
		}),
	} {
		if got := of(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNotesOfWhatElseHappened(t *testing.T) {
	for want, s := range map[string]seen{
		"":           {ours: 100 << 20, others: 1 << 20},
		"other-load": {ours: 100 << 20, others: 10 << 20},
		"throttled":  {covered: 10 * time.Second, usage: watch.Usage{Throttled: 1}},
		"steal":      {usage: watch.Usage{Idle: 90, Steal: 10}},
		"busy-cpus":  {usage: watch.Usage{Idle: 5, User: 95}, alone: spare{idle: 1, all: 20}},
		"cpu-wait":   {usage: watch.Usage{Idle: 50, User: 50}, alone: spare{idle: 6, fio: 4, all: 20}},
	} {
		got := ""
		for _, n := range s.notes() {
			got += n.Rule
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDiskBytes(t *testing.T) {
	if _, known := diskBytes("no-such-disk"); known {
		t.Error("a disk that is not there has a count")
	}
	if _, known := diskBytes(""); known {
		t.Error("no disk has a count")
	}
}
