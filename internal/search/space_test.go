package search

import (
	"maps"
	"slices"
	"testing"

	"plinth/internal/knob"
	"plinth/internal/profile"
)

// scope is that of a search from oltp on a machine with 2 GiB of memory.
func scope(t *testing.T) Scope {
	t.Helper()
	find := func(name string) *profile.Profile {
		p, err := profile.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	return Scope{
		Engine: "postgres", Start: []*profile.Profile{find("oltp")},
		Advice: []Advice{{Name: "pgtune", Profiles: []*profile.Profile{find("pgtune")}}},
		Layers: []knob.Layer{knob.Kernel, knob.Block, knob.Mount, knob.Server}, Disks: true, Restarts: true,
		Facts: profile.Facts{
			Memory: 2 << 30, CPUs: 2, Version: 15, Connections: 18, Engine: "postgres", HugePage: 2 << 20,
			Disk: profile.Disk{Probed: true, RandomRead: 0.001, SequentialRead: 0.0001, Sync: 0.001, BestDepth: 8, RandomReadsMost: 3000},
		},
	}
}

func spaceOf(t *testing.T, s Scope) map[string]Dimension {
	t.Helper()
	all, err := Space(s)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]Dimension{}
	for _, d := range all {
		if _, twice := byName[d.Name]; twice || d.About == "" {
			t.Errorf("%s: it is there twice, or lacks about", d.Name)
		}
		byName[d.Name] = d
	}
	return byName
}

// texts returns the levels of a dimension as they are on the machine.
func texts(d Dimension) (all []string) {
	for _, l := range d.Levels {
		all = append(all, l.Text)
	}
	return all
}

// TestSpace checks what is tried on a machine: where it begins, the advice of others, and the order of the levels.
func TestSpace(t *testing.T) {
	space := spaceOf(t, scope(t))
	if len(space) < 20 {
		t.Errorf("%d dimensions: %v", len(space), slices.Sorted(maps.Keys(space)))
	}
	target := space["checkpoint_completion_target"]
	if want := []string{"0.5", "0.9"}; !slices.Equal(texts(target), want) || target.Start != 1 || target.Levels[1].Values != nil {
		t.Errorf("checkpoint_completion_target: %v from %d", texts(target), target.Start)
	}
	reads := space["effective_io_concurrency"] // oltp has a level of its own: the best depth
	if want := []string{"1", "8", "16", "200"}; !slices.Equal(texts(reads), want) || reads.Start != 1 || reads.Levels[1].Values != nil {
		t.Errorf("effective_io_concurrency: %v from %d", texts(reads), reads.Start)
	}
	if i := slices.Index(texts(reads), "200"); i < 0 || reads.Levels[i].Advised != "pgtune" {
		t.Errorf("effective_io_concurrency: %+v", reads)
	}
	buffers := space["shared_buffers"]
	if got := buffers.Levels[(buffers.Start+1)%len(buffers.Levels)].Values["shared_buffers"]; got == "" || got[0] != '=' {
		t.Errorf("shared_buffers has %q, not an expression that holds on other machines, too", got)
	}
	sound(t, "postgres", space)
}

// sound checks that each dimension begins at one of its levels, and that no level weakens durability.
func sound(t *testing.T, engine string, space map[string]Dimension) {
	t.Helper()
	for name, d := range space {
		if d.Start < 0 || d.Start >= len(d.Levels) || d.Levels[d.Start].Values != nil {
			t.Errorf("%s begins at %d of %v", name, d.Start, texts(d))
		}
		for _, l := range d.Levels {
			for key, v := range l.Values {
				k, err := knob.Resolve(engine, knob.ParseKey(key))
				if err != nil || k.Weakens(v) || slices.Contains(k.Persistence, v) {
					t.Errorf("%s: %s: %v", name, key, err)
				}
			}
		}
	}
}

// TestSpaceOfRedis checks that I/O threads are tried only where there are CPUs for them.
func TestSpaceOfRedis(t *testing.T) {
	s := scope(t)
	s.Engine, s.Start, s.Advice = "redis", nil, nil
	s.Facts.Engine, s.Facts.Version = "redis", 7
	space := spaceOf(t, s)
	sound(t, "redis", space)
	if got, want := texts(space["io-threads"]), []string{"1", "2"}; !slices.Equal(got, want) {
		t.Errorf("io-threads with 2 CPUs: %v", got)
	}
	if rewrites := space["rewrites"]; len(rewrites.Levels) != 3 || rewrites.Start != 0 {
		t.Errorf("rewrites: %v from %d", texts(rewrites), rewrites.Start)
	}
	s.Facts.Version = 6
	if _, there := spaceOf(t, s)["latency-tracking"]; there {
		t.Error("it tries latency-tracking on Redis 6")
	}
}

// TestTexts checks how levels are shown: sizes in units, and of knobs that exclude each other the one that counts.
func TestTexts(t *testing.T) {
	s := scope(t)
	s.Now = map[string]string{"vm.dirty_ratio": "40", "vm.dirty_background_ratio": "10", "vm.dirty_bytes": "0", "vm.dirty_background_bytes": "0"}
	dirty := spaceOf(t, s)["dirty pages"]
	if got := texts(dirty); !slices.Contains(got, "256MiB / 1GiB") || !slices.Contains(got, "10 / 20") {
		t.Errorf("dirty pages: %v", got)
	}
	s.Start = nil
	if dirty = spaceOf(t, s)["dirty pages"]; dirty.Levels[dirty.Start].Text != "10 / 40" {
		t.Errorf("without a tuning, it begins at %v, %d", texts(dirty), dirty.Start)
	}
	if dirty.Start != len(dirty.Levels)-1 {
		t.Errorf("10 / 40 is not beside 10 / 20: %v", texts(dirty))
	}
	s.Now["vm.swappiness"] = "10"
	if swap := spaceOf(t, s)["vm.swappiness"]; swap.Levels[swap.Start].Text != "10" {
		t.Errorf("vm.swappiness begins at %v, %d", texts(swap), swap.Start)
	}
}

// TestMount checks that a search begins at the options that the mount has, and that advice is a level of its own.
func TestMount(t *testing.T) {
	s := scope(t)
	s.Now = map[string]string{"options@data": "noatime,nolazytime"}
	s.Advice = []Advice{{Name: "mine", Profiles: []*profile.Profile{profile.Of(map[string]string{"options@data": "noatime,commit=30"})}}}
	mount := spaceOf(t, s)["options@data"]
	want := []string{"relatime,nolazytime", "noatime,nolazytime", "noatime,lazytime", "noatime,commit=30"}
	if !slices.Equal(texts(mount), want) || mount.Start != 1 || mount.Levels[3].Advised != "mine" {
		t.Errorf("%+v from %d", mount.Levels, mount.Start)
	}
}

// TestScope checks what is not tried.
func TestScope(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Scope)
		gone   []string
		there  []string
	}{
		"kernel":   {func(s *Scope) { s.Layers = []knob.Layer{knob.Server} }, []string{"dirty pages", "scheduler@data"}, []string{"group commit", "wal_buffers"}},
		"restarts": {func(s *Scope) { s.Restarts = false }, []string{"wal_buffers", "shared_buffers"}, []string{"group commit", "dirty pages"}},
		"disks":    {func(s *Scope) { s.Disks = false }, []string{"scheduler@data", "read_ahead_kb@data", "options@data"}, []string{"dirty pages"}},
		"risks":    {func(s *Scope) { s.Refused = Risks }, []string{"jit", "random_page_cost"}, []string{"group commit", "checkpoint distance"}},
		"fixed":    {func(s *Scope) { s.Fixed = []string{"Commit_Delay"} }, []string{"group commit"}, []string{"wal_buffers"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := scope(t)
			tc.change(&s)
			space := spaceOf(t, s)
			for _, d := range tc.gone {
				if _, there := space[d]; there {
					t.Errorf("it tries %s", d)
				}
			}
			for _, d := range tc.there {
				if _, there := space[d]; !there {
					t.Errorf("it does not try %s", d)
				}
			}
		})
	}
	s := scope(t)
	s.Facts.Version = 14
	if d := spaceOf(t, s)["wal_compression"]; slices.Contains(texts(d), "lz4") {
		t.Error("it tries lz4 on PostgreSQL 14")
	}
}

// TestDefaults checks where a search without a tuning begins: at the defaults of the server's version.
func TestDefaults(t *testing.T) {
	for version, want := range map[int]map[string]string{
		13: {"checkpoint_completion_target": "0.5", "effective_io_concurrency": "1", "wal_buffers": "-1"},
		17: {"checkpoint_completion_target": "0.9", "effective_io_concurrency": "1", "group commit": "0 / 5"},
		18: {"checkpoint_completion_target": "0.9", "effective_io_concurrency": "16", "wal_buffers": "-1"},
	} {
		s := scope(t)
		s.Start, s.Facts.Version = nil, version
		space := spaceOf(t, s)
		for name, text := range want {
			d := space[name]
			if got := d.Levels[d.Start].Text; got != text {
				t.Errorf("PostgreSQL %d: %s begins with %s of %v, want %s", version, name, got, texts(d), text)
			}
		}
		vacuum := space["autovacuum"]
		if got := texts(vacuum); len(got) != 3 || vacuum.Start != 0 {
			t.Errorf("PostgreSQL %d: autovacuum begins with %d of %v", version, vacuum.Start, got)
		}
		if got := texts(space["wal_buffers"]); !slices.Equal(got, []string{"1MB", "4MB", "-1", "16MB", "64MB"}) {
			t.Errorf("PostgreSQL %d: wal_buffers: %v", version, got)
		}
	}
}

// TestValues checks that a point has only what differs from where it began.
func TestValues(t *testing.T) {
	all, err := Space(scope(t))
	if err != nil {
		t.Fatal(err)
	}
	at := New(all).At()
	if values := Values(all, at); len(values) > 0 {
		t.Errorf("the start has %v", values)
	}
	i := slices.IndexFunc(all, func(d Dimension) bool { return d.Name == "group commit" })
	at[i] = len(all[i].Levels) - 1
	if values := Values(all, at); len(values) != 2 || values["commit_delay"] != "1000" || values["commit_siblings"] != "1" {
		t.Errorf("a move has %v", values)
	}
}

// TestRisks checks which levels have a risk, and that they can be refused.
func TestRisks(t *testing.T) {
	for _, engine := range []string{"postgres", "redis"} {
		all, err := specs(engine)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			if d.Risk == NoRisk && d.Risky != "" || d.Risk != NoRisk && !slices.Contains(Risks, d.Risk) || !slices.Contains([]string{"", smaller, others}, d.Risky) {
				t.Errorf("%s of %s has the risk %q of %q levels", d.Name, engine, d.Risk, d.Risky)
			}
		}
	}
	for _, r := range Risks {
		if r.About() == string(r) {
			t.Errorf("%s is not described", r)
		}
	}
	space := spaceOf(t, scope(t))
	for name, risk := range map[string]Risk{"checkpoint distance": Recovery, "shared_buffers": Memory, "age of dirty pages": NoRisk, "jit": Queries} {
		d := space[name]
		for i, l := range d.Levels {
			if want := map[bool]Risk{true: risk}[i > d.Start || name == "jit" && i != d.Start]; l.Risk != want {
				t.Errorf("%s %s, from %s, has the risk %q, not %q", name, l.Text, d.Levels[d.Start].Text, l.Risk, want)
			}
		}
	}
	d := Dimension{Levels: make([]Level, 3), Start: 1}
	d.assess(dimensionSpec{Risk: Later, Risky: smaller}, nil)
	if d.Levels[0].Risk != Later || d.Levels[1].Risk != NoRisk || d.Levels[2].Risk != NoRisk {
		t.Errorf("smaller levels do not have the risk: %+v", d)
	}
	s := scope(t)
	s.Refused = []Risk{Recovery, Later}
	careful := spaceOf(t, s)
	for name, d := range careful {
		was := space[name]
		if d.Levels[d.Start].Text != was.Levels[was.Start].Text {
			t.Errorf("%s begins at %s, not %s", name, d.Levels[d.Start].Text, was.Levels[was.Start].Text)
		}
		for _, l := range d.Levels {
			if slices.Contains(s.Refused, l.Risk) {
				t.Errorf("%s %s is tried", name, l.Text)
			}
		}
	}
	if got, was := len(careful["checkpoint distance"].Levels), len(space["checkpoint distance"].Levels); got >= was || got < 2 {
		t.Errorf("checkpoint distance has %d levels, and %d without refusals", got, was)
	}
}
