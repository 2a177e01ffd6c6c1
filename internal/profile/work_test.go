package profile

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/unit"
)

// TestExpressions checks the results of expressions, and their errors.
func TestExpressions(t *testing.T) {
	for _, c := range []struct{ key, expression, want string }{
		{"shared_buffers", "memory / 4", "4GB"},
		{"shared_buffers", "5888*MiB + 17", "5888MB"},
		{"shared_buffers", "300*KiB", "296kB"}, // whole pages of 8 KiB
		{"shared_buffers", "3 * bytes(settings.shared_buffers)", "384MB"},
		{"work_mem", "4.2*MiB", "4MB"},
		{"checkpoint_timeout", "600", "10min"},
		{"bgwriter_delay", "33.6", "34ms"},
		{"random_page_cost", "1.23456", "1.235"},
		{"commit_delay", "disk.sync * 1e6 / 2", "925"},
		{"vm.nr_hugepages", "huge_pages_needed + 10", "2160"},
		{"vm.min_free_kbytes", "100*MiB", "102400"},
		{"vm.dirty_bytes", "256*MiB", "268435456"},
		{"read_ahead_kb@data", "cpus > 4 ? 64*KiB : 128*KiB", "64"},
		{"scaling_governor", "governor", "powersave"},
		{"cpus", "node(nodes, 0).cpus", "0-3"},
		{"mems", "freest(nodes).id", "0"},
		{"cpus", "len(nodes) == 2 ? '1' : '2'", "1"},
		{"commit_delay", "(wal.sync ?? disk.sync) * 1e6", "1850"},
		{"max_connections", "clamp(connections * 2, 1, 150)", "150"},

		{"shared_buffers", "memory / (cpus - 8)", "cannot compute x: shared_buffers = memory / (cpus - 8): division by zero (memory 16GiB, cpus 8)"},
		{"shared_buffers", "min(memory / (cpus - 8), GiB)", "division by zero (memory 16GiB, cpus 8)"},
		{"shared_buffers", "1 % (len(nodes) - 2)", "integer divide by zero"},
		{"shared_buffers", "GiB - memory", "the result is a negative size, -16106127360 bytes (memory 16GiB)"},
		{"shared_buffers", "memory ** 99", "the result is not a finite number (memory 16GiB)"},
		{"shared_buffers", "memory * memory * memory", "is too large (memory 16GiB)"},
		{"max_connections", "memory", "(memory 16GiB)"},
		{"vm.swappiness", "0 - cpus", "cannot use x: vm.swappiness = 0 - cpus: cannot set vm.swappiness to \"-8\": "},
		{"vm.swappiness", "'much'", "cannot use x: vm.swappiness = 'much': cannot set vm.swappiness to \"much\": "},
		{"cpus", "node(nodes, 7).cpus", "NUMA node 7 does not exist"},
		{"cpus", "nodes[5].cpus", "index out of range"},
		{"cpus", "clamp(1, 9, 3)", "clamp: the lower limit, 9, is above the upper limit, 3"},
		{"commit_delay", "sum(1..1000000)", "no ranges"},
		{"commit_delay", "count(nodes, count(nodes, count(nodes, .id > 0) > 0) > 0)", "at most two loops"},
		{"shared_buffers", "bytes('much')", `"much" is not a size`},
		{"fsync", "cpus > 100 ? 'on' : 'off'", "fsync = off weakens durability"},

		{"shared_buffers", "wal.sync * 1000*MiB", "not applicable: " + walNotProbed},
		{"shared_buffers", "huge_pages * huge_page", "not applicable: no static huge pages are reserved"},
	} {
		f := machine()
		f.Settings = map[string]string{"shared_buffers": "128MB"}
		p := &Profile{Name: "x", Settings: []Setting{{Key: knob.ParseKey(c.key), Value: "= " + c.expression}}}
		w, err := Work("", []*Profile{p}, nil, f)
		var got string
		switch {
		case err != nil:
			got = err.Error()
		case w.Values[0].NotApplicable != "":
			got = "not applicable: " + w.Values[0].NotApplicable
		default:
			got = w.Values[0].Value
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s = %s: got %s, want %s", c.key, c.expression, got, c.want)
		}
	}
}

func find(t *testing.T, names ...string) []*Profile {
	t.Helper()
	var all []*Profile
	for _, name := range names {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestLaterTakeThePlace checks that later settings replace those of the same knob, and of the
// knob that is zero when the later one is not.
func TestLaterTakeThePlace(t *testing.T) {
	bytes := Of(map[string]string{"vm.dirty_bytes": "128MiB"})
	bytes.Name = "bytes"
	w, err := Work("", append(find(t, "ebs-kernel", "oltp"), bytes, Of(map[string]string{"vm.swappiness": "7", "WORK_MEM": "9MB"})), nil, machine())
	if err != nil {
		t.Fatal(err)
	}
	values, replaced := map[string]string{}, map[string]string{}
	for _, v := range w.Values {
		values[v.Key.String()] = v.Value + " " + v.Profile
	}
	for _, r := range w.Replaced {
		replaced[r.Key.String()+" "+r.Profile] = r.By.Key.String() + " " + r.By.Profile
	}
	for key, want := range map[string]string{"vm.swappiness": "7 ", "vm.dirty_ratio": "", "vm.dirty_bytes": "134217728 bytes", "work_mem": "9MB "} {
		if values[key] != want {
			t.Errorf("%s is %q, want %q", key, values[key], want)
		}
	}
	for key, want := range map[string]string{
		"vm.swappiness oltp": "vm.swappiness ", "vm.dirty_ratio ebs-kernel": "vm.dirty_bytes bytes", "work_mem oltp": "work_mem ",
		"vm.swappiness ebs-kernel": "", "vm.swappiness ebs-baseline": "", "vm.dirty_writeback_centisecs ebs-kernel": "",
	} {
		if replaced[key] != want {
			t.Errorf("%s gave way to %q, want %q", key, replaced[key], want)
		}
	}
}

func TestRequirements(t *testing.T) {
	f := machine()
	for _, c := range []struct {
		without []string
		pages   int64
		want    int
	}{{nil, 0, 0}, {[]string{"kernel"}, 0, 2}, {[]string{"vm.nr_hugepages"}, 100, 1}} {
		f.HugePages = c.pages
		w, err := Work("", find(t, "numa-pinned", "huge-pages"), c.without, f)
		if err != nil || len(w.Missing) != c.want {
			t.Errorf("without %v, %d pages: %+v, %v", c.without, c.pages, w.Missing, err)
		}
	}
	f.Nodes[1].HugePages = 100
	if w, err := Work("", find(t, "numa-pinned", "huge-pages"), []string{"vm.nr_hugepages"}, f); err != nil || len(w.Missing) != 0 {
		t.Errorf("pages on the node: %+v, %v", w.Missing, err)
	}
}

func TestWithout(t *testing.T) {
	for _, name := range []string{"kernel", "flushing", "read_ahead_kb@wal", "read_ahead_kb", "VM.SWAPPINESS", "group commit"} {
		if _, err := Work("", find(t, "ebs-final"), []string{name}, machine()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := Work("", find(t, "ebs-final"), []string{"flooshing"}, machine())
	if err == nil || err.Error() != `cannot leave out "flooshing": no such layer, group or knob` || hint.Of(err) != "did you mean flushing?" {
		t.Errorf("%v (%s)", err, hint.Of(err))
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ engine, name, by, want string }{
		{"", "ebs-final", "layer", "kernel block mount server"},
		{"redis", "ebs-final", "layer", "kernel block mount"},
		{"", "numa-pinned", "layer", "hypervisor cpu placement"},
		{"", "ebs-kernel", "group", "swap flushing memory bgwriter wal writer checkpoint"},
		{"", "read-ceiling", "knob", "shared_buffers maintenance_work_mem random_page_cost effective_io_concurrency"},
	} {
		parts, err := Parts(c.engine, find(t, c.name), c.by)
		if got := strings.Join(parts, " "); err != nil || got != c.want {
			t.Errorf("%+v: got %s, %v", c, got, err)
		}
	}
	if parts, err := Parts("", []*Profile{Of(map[string]string{"vm.swappiness": "1", "fsync": "on"})}, "group"); err != nil || strings.Join(parts, ",") != "other server,other kernel" {
		t.Errorf("%v, %v", parts, err)
	}
	if _, err := Parts("", nil, "color"); err != nil {
		t.Errorf("nothing to take apart: %v", err)
	}
	if _, err := Parts("", find(t, "oltp"), "color"); err == nil {
		t.Error("by color")
	}
}

// TestDivide divides settings by layer, by group, also that of settings without one, and by knob.
func TestDivide(t *testing.T) {
	profiles := []*Profile{{Settings: []Setting{
		{Key: knob.Key{Knob: "vm.swappiness"}, Value: "1", Group: "swap"},
		{Key: knob.Key{Knob: "read_ahead_kb", On: "data"}, Value: "64"},
		{Key: knob.Key{Knob: "work_mem"}, Value: "8MB"},
	}}}
	for without, want := range map[string]string{
		"kernel": "vm.swappiness", "swap": "vm.swappiness", "other server": "work_mem", "WORK_MEM": "work_mem", "read_ahead_kb": "read_ahead_kb@data", "nothing": "",
	} {
		kept, left, err := Divide("postgres", profiles, []string{without})
		var keys []string
		for _, s := range left {
			keys = append(keys, s.Key.String())
		}
		if got := strings.Join(keys, " "); err != nil || got != want || len(kept)+len(left) != 3 {
			t.Errorf("%s leaves out %s, %v, and keeps %d", without, got, err, len(kept))
		}
	}
}

// TestPartsAndTheRest checks that a part and the rest together are the whole, and that each
// value is in a part.
func TestPartsAndTheRest(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom(Names()), 1, 4, rapid.ID).Draw(r, "profiles")
		by := rapid.SampledFrom([]string{"layer", "group", "knob"}).Draw(r, "by")
		engine := rapid.SampledFrom([]string{"", "postgres", "redis"}).Draw(r, "engine")
		profiles := find(t, names...)
		f := machine()
		f.Memory = int64(rapid.Uint64Range(uint64(64*unit.MiB), uint64(unit.TiB)).Draw(r, "memory"))
		parts, err := Parts(engine, profiles, by)
		if err != nil {
			r.Fatal(err)
		}
		whole := valuesOf(r, engine, profiles, nil, f)
		for key, v := range whole {
			of := map[string]string{"layer": string(v.Layer), "group": v.Group, "knob": key}[by]
			if !slices.Contains(parts, of) && !strings.HasPrefix(v.NotApplicable, "a parameter of another server") {
				r.Fatalf("%s is in no part by %s", key, by)
			}
		}
		if len(parts) == 0 {
			return
		}
		part := rapid.SampledFrom(parts).Draw(r, "part")
		rest := valuesOf(r, engine, profiles, []string{part}, f)
		if len(rest) >= len(whole) {
			r.Fatalf("without %s there are %d of %d", part, len(rest), len(whole))
		}
		for key, v := range whole {
			left, there := rest[key]
			of := map[string]string{"layer": string(v.Layer), "group": v.Group, "knob": key}[by]
			if there == (of == part) || there && !reflect.DeepEqual(left, v) {
				r.Fatalf("without %s, %s is %+v instead of %+v", part, key, left, v)
			}
		}
	})
}

func valuesOf(t *rapid.T, engine string, profiles []*Profile, without []string, f Facts) map[string]Value {
	w, err := Work(engine, profiles, without, f)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]Value{}
	for _, v := range w.Values {
		values[v.Key.String()] = v
	}
	return values
}

// TestUnsafe checks that a value that weakens durability is refused unless it is allowed.
func TestUnsafe(t *testing.T) {
	p := Of(map[string]string{"fsync": "off"})
	if _, err := Work("postgres", []*Profile{p}, nil, machine()); err == nil || !strings.Contains(hint.Of(err), "unsafe: true") {
		t.Errorf("%v", err)
	}
	p.Unsafe = true
	if w, err := Work("postgres", []*Profile{p}, nil, machine()); err != nil || w.Values[0].Value != "off" {
		t.Errorf("%+v, %v", w, err)
	}
}

// TestAllMistakesAtOnce checks that the error lists each value that cannot be computed.
func TestAllMistakesAtOnce(t *testing.T) {
	_, err := Work("", []*Profile{Of(map[string]string{"vm.swappiness": "= 1/0", "work_mem": "= 0 - memory", "vm.dirty_ratio": "5"})}, nil, machine())
	if err == nil || strings.Count(err.Error(), "\n") != 1 || strings.Contains(err.Error(), "dirty_ratio") {
		t.Error(err)
	}
}

func TestFlat(t *testing.T) {
	p := find(t, "ebs-server")[0]
	settings, err := p.Flat()
	if err != nil || len(settings) != 16 {
		t.Errorf("%d settings, %v", len(settings), err)
	}
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Key.Knob == "bgwriter_delay" })
	if i < 0 || settings[i].Value != "10ms" {
		t.Errorf("bgwriter_delay is %+v", settings)
	}
}

// TestHugePagesInUse checks that huge pages of other processes are kept, and that the server's
// are not counted twice.
func TestHugePagesInUse(t *testing.T) {
	f := machine()
	f.HugePages, f.HugePagesUsed = 3000, 2500
	const need = "shared_memory_size_in_huge_pages"
	for name, c := range map[string]struct {
		settings map[string]string
		want     string
	}{
		"no server":                     {nil, "4650"},
		"17, not used":                  {map[string]string{"huge_pages_status": "off", "huge_pages": "try", need: "2000"}, "4650"},
		"17, used":                      {map[string]string{"huge_pages_status": "on", "huge_pages": "try", need: "2000"}, "2650"},
		"16, on":                        {map[string]string{"huge_pages": "on", need: "2000"}, "2650"},
		"16, try, enough for it in use": {map[string]string{"huge_pages": "try", need: "2000"}, "2650"},
		"16, try, too few in use":       {map[string]string{"huge_pages": "try", need: "2600"}, "4650"},
		"16, off":                       {map[string]string{"huge_pages": "off", need: "2000"}, "4650"},
		"14, on":                        {map[string]string{"huge_pages": "on"}, "2500"},
	} {
		f.Settings = c.settings
		if got := worked(t, "postgres", "oltp", f)["vm.nr_hugepages"]; got.Value != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

// BenchmarkWork evaluates the largest built-in profile.
func BenchmarkWork(b *testing.B) {
	p, err := Find("oltp")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Work("postgres", []*Profile{p}, nil, machine()); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzExpression checks that no expression panics, or gives a value that its knob does not accept.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"memory / 4", "1/0", "(wal.sync ?? disk.sync) * 1e6", "any(nodes, .id == 1) ? node(nodes, 1).cpus : freest(nodes).cpus", "1..9", "memory ** 99",
		"nodes[0].memory", "settings.x", "clamp(1, 2, 'x')", "let x = memory; x / cpus", "nodes | map(.free) | sum()", "disk?.sync ?? 1", "[1, 2][0]", "-memory % 7",
	} {
		f.Add(text)
	}
	k, err := knob.Resolve("postgres", knob.Key{Knob: "shared_buffers"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = condition(text, newLanguage(machine()))
		word, err := evaluate(text, k, newLanguage(machine()))
		if err != nil && err.Error() == "" {
			t.Fatalf("%q fails without a word", text)
		}
		p := &Profile{Settings: []Setting{{Key: knob.Key{Knob: "shared_buffers"}, Value: "= " + text}}}
		w, failed := Work("", []*Profile{p}, nil, machine())
		if failed != nil || w.Values[0].NotApplicable != "" {
			return
		}
		if again, err := k.Canonical(w.Values[0].Value); err != nil || again != w.Values[0].Value {
			t.Fatalf("%q gives %q, then %q, %v", text, word, again, err)
		}
	})
}
