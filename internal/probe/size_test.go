package probe

import (
	"strings"
	"testing"

	"plinth/internal/host"
	"plinth/internal/unit"
)

// TestSizeNotes checks the notes about a small test file on a disk with a bandwidth of 125 MiB/s,
// which reads 3.05 GiB in 25 s.
func TestSizeNotes(t *testing.T) {
	const free = 200 * unit.GiB
	for name, try := range map[string]struct {
		virtual    string
		change     func(*Target)
		rule, hint string
	}{
		"large":            {"", func(t *Target) { t.Size = 16 * unit.GiB }, "", ""},
		"below 8 GiB":      {"", func(t *Target) { t.Size = 4 * unit.GiB }, "small-file", "use --size 16GiB"},
		"below 25 s":       {"", func(t *Target) { t.Size = unit.GiB }, "small-for-bandwidth", "use --size 16GiB"},
		"virtual":          {"kvm", func(t *Target) { t.Size = 4 * unit.GiB }, "", ""},
		"virtual, 8 s":     {"kvm", func(t *Target) { t.Size = unit.GiB }, "small-for-bandwidth", "use --size 4GiB"},
		"little space":     {"kvm", func(t *Target) { t.Size, t.place.Free = unit.GiB, int64(4*unit.GiB) }, "small-for-bandwidth", "use --size 2GiB, the largest possible one here"},
		"no space":         {"kvm", func(t *Target) { t.Size, t.place.Free = unit.GiB, int64(2*unit.GiB) }, "small-for-bandwidth", ""},
		"a whole device":   {"", func(t *Target) { t.Size, t.whole, t.Raw = unit.GiB, unit.GiB, true }, "", ""},
		"part of a device": {"kvm", func(t *Target) { t.Size, t.whole, t.Raw = unit.GiB, 2*unit.GiB, true }, "small-for-bandwidth", "use --size 2GiB, the largest possible one here"},
		"memory":           {"", func(t *Target) { t.Size, t.place.InMemory = unit.GiB, true }, "", ""},
		"page cache":       {"", func(t *Target) { t.Size, t.Direct = unit.GiB, false }, "", ""},
	} {
		r := gp3()
		r.Target.place = host.Place{Free: int64(free)}
		try.change(&r.Target)
		notes := r.sizeNotes(try.virtual)
		var got Note
		if len(notes) > 0 {
			got = notes[0]
		}
		if len(notes) > 1 || got.Rule != try.rule || got.Hint != try.hint {
			t.Errorf("%s: got %+v, want %q with the hint %q", name, notes, try.rule, try.hint)
		}
		figures := "the " + r.Target.tested() + " of 1GiB holds 8.19s of the measured bandwidth (125MiB/s), less than 25s"
		if got.Rule == "small-for-bandwidth" && !strings.HasPrefix(got.Text, figures) {
			t.Errorf("%s: %s", name, got.Text)
		}
	}
}
