package knob

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/hint"
)

func TestCanonical(t *testing.T) {
	for _, test := range []struct{ engine, key, value, want string }{
		{"", "vm.swappiness", " 1 ", "1"}, {"", "vm.swappiness", "+1", "1"}, {"", "vm.dirty_ratio", "4%", "4"}, {"", "vm.dirty_bytes", "256MiB", "268435456"},
		{"", "vm.min_free_kbytes", "100MiB", "102400"}, {"", "vm.min_free_kbytes", "102400", "102400"}, {"", "vm.min_free_kbytes", "102400kB", "102400"},
		{"", "vm.dirty_expire_centisecs", "2s", "200"}, {"", "vm.dirty_writeback_centisecs", "1.5s", "150"}, {"", "read_ahead_kb@data", "64KiB", "64"},
		{"", "net.core.rmem_max", "1.6777216e7", "16777216"}, {"", "wbt_lat_usec@data", "2ms", "2000"}, {"", "transparent_hugepage", "Never", "never"},
		{"", "smt", "no", "off"}, {"", "pm_qos_resume_latency_us", "N/A", "n/a"}, {"", "write_cache@data", "write through", "write through"},
		{"", "cpus", "3,0,1,2", "0-3"}, {"", "cpus", "0-3, 8", "0-3,8"}, {"", "cpus", "8,0-3,2-4", "0-4,8"}, {"", "numa_policy", "interleave  0-1", "interleave 0-1"},
		{"", "vcpupin", "1=9,0=8", "0=8,1=9"}, {"", "numatune", "strict auto", "strict auto"}, {"", "numatune", "strict  0-1", "strict 0-1"}, {"", "vcpupin", "0=8,10,9,1=11", "0=8-10,1=11"}, {"", "options@data", " noatime, commit=30,noatime", "noatime,commit=30"},
		{"", "locked", "yes", "on"}, {"", "net.ipv4.tcp_rmem", "4096\t131072  6291456", "4096 131072 6291456"},
		{"postgres", "shared_buffers", "0.125GB", "128MB"}, {"postgres", "shared_buffers", "16384", "128MB"}, {"postgres", "shared_buffers", "128 MB", "128MB"},
		{"postgres", "shared_buffers", "30.1GB", "30822MB"}, {"postgres", "shared_buffers", "6GiB", "6GB"}, {"postgres", "work_mem", "4096", "4MB"},
		{"postgres", "bgwriter_delay", "10", "10ms"}, {"postgres", "bgwriter_delay", "0.2s", "200ms"}, {"postgres", "checkpoint_timeout", "1800s", "30min"},
		{"postgres", "commit_delay", "50", "50"}, {"postgres", "random_page_cost", "1.10", "1.1"}, {"postgres", "huge_pages", "true", "on"},
		{"postgres", "fsync", "f", "off"}, {"postgres", "fsync", "ON", "on"}, {"postgres", "autovacuum_vacuum_cost_delay", "0.5ms", "500us"},
		{"postgres", "temp_file_limit", "-1", "-1"}, {"postgres", "max_wal_size", "48GB", "48GB"}, {"postgres", "max_connections", "99.5", "100"},
		{"postgres", "application_name", "two  words", "two  words"}, {"postgres", "vacuum_cost_limit", "1e3", "1000"},
		{"redis", "maxmemory", "100mb", "104857600"}, {"redis", "maxmemory", "1K", "1000"}, {"redis", "maxmemory", "2GiB", "2147483648"}, {"redis", "appendonly", "on", "yes"},
		{"redis", "appendfsync", "ALWAYS", "always"}, {"redis", "save", "", ""}, {"redis", "save", "3600 1", "3600 1"}, {"redis", "hz", "100", "100"},
	} {
		k, err := Resolve(test.engine, ParseKey(test.key))
		if err != nil {
			t.Error(err)
			continue
		}
		if got, err := k.Canonical(test.value); err != nil || got != test.want {
			t.Errorf("%s = %q: got %q, %v, want %q", test.key, test.value, got, err, test.want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	const lots = "99999999999999999999999999"
	for _, test := range []struct{ engine, key, value, want, hint string }{
		{"", "vm.swappiness", "201", `cannot set vm.swappiness to "201": it is more than 200`, "vm.swappiness is a whole number, 0 to 200"},
		{"", "vm.swappiness", "-1", `cannot set vm.swappiness to "-1": it is less than 0`, "vm.swappiness is a whole number, 0 to 200"},
		{"", "vm.swappiness", "", `cannot set vm.swappiness to "": it is not a number`, "vm.swappiness is a whole number, 0 to 200"},
		{"", "vm.swappiness", "1%", `cannot set vm.swappiness to "1%": it is a plain number, without a unit`, "vm.swappiness is a whole number, 0 to 200"},
		{"", "vm.swappiness", "010", `cannot set vm.swappiness to "010": it is not a number`, "vm.swappiness is a whole number, 0 to 200"},
		{"", "vm.swappiness", "1\n2", `cannot set vm.swappiness to "1\n2": it is not one line of up to 4096 bytes`, "vm.swappiness is a whole number, 0 to 200"},
		{"", "vm.dirty_ratio", "2s", `cannot set vm.dirty_ratio to "2s": s is not one of its units`, "vm.dirty_ratio is a whole number of %, 0 to 100"},
		{"", "vm.dirty_ratio", "1.5", `cannot set vm.dirty_ratio to "1.5": it is not a whole number of %`, "vm.dirty_ratio is a whole number of %, 0 to 100"},
		{"", "vm.dirty_bytes", "0", `cannot set vm.dirty_bytes to "0": it is less than 8192`, "vm.dirty_bytes is a whole number of bytes, at least 8192"},
		{"", "vm.dirty_bytes", "256MB", `cannot set vm.dirty_bytes to "256MB": MB is not one of its units`, "vm.dirty_bytes is a whole number of bytes, at least 8192"},
		{"", "vm.nr_hugepages", "2GiB", `cannot set vm.nr_hugepages to "2GiB": its unit is pages`, "vm.nr_hugepages is a whole number of pages, at least 0"},
		{"", "read_ahead_kb@x", "6", `cannot set read_ahead_kb to "6": it is not a multiple of 4`,
			"read_ahead_kb is a whole number of kB, 0 to 4194300, in steps of 4"},
		{"", "scheduler@x", "noop", `cannot set scheduler to "noop": did you mean none?`, "scheduler is one of none, mq-deadline, kyber, bfq"},
		{"", "scheduler@x", "mq-dedline", `cannot set scheduler to "mq-dedline": did you mean mq-deadline?`, "scheduler is one of none, mq-deadline, kyber, bfq"},
		{"", "scheduler@x", "lottery", `cannot set scheduler to "lottery": it is not one of its values`, "scheduler is one of none, mq-deadline, kyber, bfq"},
		{"", "smt", "notsupported", `cannot set smt to "notsupported": it is the value that a machine without this feature reports`, "smt is one of on, off, forceoff"},
		{"", "cpus", "3-1", `cannot set cpus to "3-1": it is not a list such as 0-3,8`, "cpus is a list such as 0-3,8"},
		{"", "cpus", "0-99999", `cannot set cpus to "0-99999": it is not a list such as 0-3,8`, "cpus is a list such as 0-3,8"},
		{"", "vcpupin", "0=1,0=2", `cannot set vcpupin to "0=1,0=2": 0 occurs twice`, "vcpupin is a CPU list for each number, such as 0=8,1=9-10"},
		{"", "vcpupin", "8", `cannot set vcpupin to "8": it is not a CPU list for each number, such as 0=8,1=9-10`,
			"vcpupin is a CPU list for each number, such as 0=8,1=9-10"},
		{"", "numatune", "strictly 1", `cannot set numatune to "strictly 1": it is not written like "strict 1"`, `numatune is written like "strict 1"`},
		{"", "options@x", "no atime", `cannot set options to "no atime": it is not a list such as noatime,commit=30`,
			"options is mount options such as noatime,commit=30"},
		{"", "hugepages", "perhaps", `cannot set hugepages to "perhaps": it is neither on nor off`, "hugepages is on or off"},
		{"postgres", "fsync", "o", `cannot set fsync to "o": it is neither on nor off`, "fsync is on or off"},
		{"postgres", "shared_buffers", "1mb", `cannot set shared_buffers to "1mb": mb is not one of its units`,
			"shared_buffers is a whole number of 8kB, 128kB to 8589934584kB"},
		{"postgres", "bgwriter_delay", "1MB", `cannot set bgwriter_delay to "1MB": MB is not one of its units`, "bgwriter_delay is a whole number of ms, 10ms to 10s"},
		{"postgres", "bgwriter_delay", "5", `cannot set bgwriter_delay to "5": it is less than 10ms`, "bgwriter_delay is a whole number of ms, 10ms to 10s"},
		{"postgres", "random_page_cost", "1e999", `cannot set random_page_cost to "1e999": it is too large`, "random_page_cost is a number, 0 to 1.79769e+308"},
		{"redis", "maxmemory", "1e20", `cannot set maxmemory to "1e20": it is too large`, "maxmemory is a whole number of bytes, at least 0"},
		{"redis", "maxmemory", "-1", `cannot set maxmemory to "-1": it is less than 0`, "maxmemory is a whole number of bytes, at least 0"},
		{"", "vm.swappiness", lots + lots + lots, `cannot set vm.swappiness to "` + (lots + lots + lots)[:57] + `...": it is not a number`,
			"vm.swappiness is a whole number, 0 to 200"},
	} {
		k, err := Resolve(test.engine, ParseKey(test.key))
		if err != nil {
			t.Error(err)
			continue
		}
		if got, err := k.Canonical(test.value); err == nil || err.Error() != test.want || hint.Of(err) != test.hint {
			t.Errorf("%s = %q: got %q, %v (%s)\nwant %s (%s)", test.key, test.value, got, err, hint.Of(err), test.want, test.hint)
		}
	}
}

func TestSame(t *testing.T) {
	for _, test := range []struct {
		engine, key, a, b string
		want              bool
	}{
		{"", "cpus", "0-3", "0,1,2,3", true}, {"", "vm.swappiness", " 60\n", "60", true}, {"", "vm.swappiness", "60", "61", false},
		{"", "vm.dirty_bytes", "0", "0\n", true}, {"", "vm.dirty_bytes", "0", "0.0", true}, {"", "vm.dirty_expire_centisecs", "2s", "200", true},
		{"", "options@x", "noatime,commit=30", "commit=30,noatime", true}, {"", "options@x", "noatime", "relatime", false},
		{"", "net.ipv4.tcp_rmem", "4096\t131072\t6291456", "4096 131072 6291456", true}, {"", "vcpupin", "1=9,0=8", "0=8,1=9", true},
		{"", "smt", "notsupported", "notsupported\n", true}, {"", "smt", "notsupported", "on", false}, {"", "cpus", "", "0", false},
		{"postgres", "shared_buffers", "0.125GB", "128MB", true}, {"postgres", "shared_buffers", "16384", "128MB", true},
		{"postgres", "shared_buffers", "30.1GB", "30822MB", true}, {"postgres", "shared_buffers", "30.1GB", "30823MB", false},
		{"postgres", "huge_pages", "yes", "on", true}, {"postgres", "huge_pages", "try", "on", false}, {"postgres", "fsync", "true", "on", true},
		{"postgres", "random_page_cost", "1.1234567", "1.12346", true}, {"postgres", "random_page_cost", "1.1", "1.2", false},
		{"postgres", "checkpoint_timeout", "30min", "1800", true}, {"postgres", "temp_file_limit", "-1", "-1kB", true},
		{"redis", "maxmemory", "1gb", "1073741824", true}, {"redis", "maxmemory", "1g", "1gb", false}, {"redis", "save", "3600 1  300 100", "3600 1 300 100", true},
		{"redis", "appendonly", "yes", "no", false},
	} {
		k, err := Resolve(test.engine, ParseKey(test.key))
		if err != nil {
			t.Error(err)
			continue
		}
		if k.Same(test.a, test.b) != test.want || k.Same(test.b, test.a) != test.want {
			t.Errorf("%s: %q and %q, want %v", test.key, test.a, test.b, test.want)
		}
	}
}

func TestDurability(t *testing.T) {
	for _, test := range []struct {
		engine, key, value string
		want               bool
	}{
		{"postgres", "fsync", "off", true}, {"postgres", "fsync", "false", true}, {"postgres", "fsync", "on", false}, {"postgres", "fsync", "nonsense", false},
		{"postgres", "synchronous_commit", "local", true}, {"postgres", "synchronous_commit", "remote_write", true},
		{"postgres", "synchronous_commit", "remote_apply", false}, {"postgres", "zero_damaged_pages", "1", true}, {"postgres", "shared_buffers", "1GB", false},
		{"", "write_cache@data", "write through", true}, {"", "options@data", "noatime,nobarrier", true}, {"", "options@data", "noatime,barrier=0", true},
		{"", "options@data", "noatime,barrier=1", false}, {"", "options@data", "data=writeback", true}, {"redis", "appendonly", "no", false},
	} {
		k, err := Resolve(test.engine, ParseKey(test.key))
		if err != nil || k.Weakens(test.value) != test.want {
			t.Errorf("%s = %s: %v, want %v", test.key, test.value, err, test.want)
		}
	}
	for _, test := range []struct {
		knob, value, than string
		want              bool
	}{
		{"appendfsync", "everysec", "always", true}, {"appendfsync", "no", "everysec", true}, {"appendfsync", "always", "everysec", false},
		{"appendfsync", "everysec", "EVERYSEC", false}, {"appendonly", "no", "yes", true}, {"save", "", "3600 1", true}, {"save", "60 1", "3600 1", false},
		{"maxmemory", "1", "2", false},
	} {
		if k, known := Parameter("redis", test.knob); !known || k.LosesMore(test.value, test.than) != test.want {
			t.Errorf("%s %q after %q: want %v", test.knob, test.value, test.than, test.want)
		}
	}
}

func TestKey(t *testing.T) {
	for text, want := range map[string]Key{
		"vm.swappiness": {"vm.swappiness", ""}, "read_ahead_kb@data": {"read_ahead_kb", "data"}, " a @ b ": {"a", "b"}, "a@b@c": {"a", "b@c"}, "": {}, "@": {},
	} {
		if got := ParseKey(text); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	text, err := json.Marshal(map[Key]Key{{"a", "b"}: {"c", ""}})
	if err != nil || string(text) != `{"a@b":"c"}` {
		t.Errorf("%s, %v", text, err)
	}
	var back map[Key]Key
	if err := json.Unmarshal(text, &back); err != nil || back[Key{"a", "b"}] != (Key{"c", ""}) {
		t.Errorf("%v, %v", back, err)
	}
}

// everything returns the catalog and all parameters.
func everything() []Knob {
	all := All()
	for _, engine := range []string{postgres, redis} {
		all = append(all, Parameters(engine)...)
	}
	return all
}

// values returns some valid and some invalid values of a knob.
func values(k Knob) *rapid.Generator[string] {
	number := rapid.StringMatching(`-?[0-9]{1,7}(\.[0-9]{1,4})?( ?(kB|MB|GB|KiB|MiB|ms|s|min|us|%|mb|k|B))?`)
	list := rapid.StringMatching(`[0-9]{1,2}(-[0-9]{2})?(,[0-9]{1,3}){0,3}`)
	all := []*rapid.Generator[string]{
		number, list, rapid.StringMatching(`[0-3]=[0-9](,[4-7]=[0-9]{1,2}-[0-9]{3})?`), rapid.StringMatching(`[a-z]{1,5}(=[0-9])?(,[a-z]{1,4}){0,2}`), rapid.String(),
		rapid.SampledFrom([]string{"on", "off", "yes", "no", "true", "0", "1", "-1", "interleave 0-1", "4096  131072\t6291456", "strict 1"}),
	}
	if len(k.Words) > 0 {
		all = append(all, rapid.SampledFrom(k.Words), rapid.Map(rapid.SampledFrom(k.Words), strings.ToUpper))
	}
	return rapid.OneOf(all...)
}

// TestCanonicalIsTheSame checks that the canonical form of a value means the same as the
// value, and is its own canonical form.
func TestCanonicalIsTheSame(t *testing.T) {
	all := everything()
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(all).Draw(t, "knob")
		value := values(k).Draw(t, "value")
		canonical, err := k.Canonical(value)
		if err != nil {
			return
		}
		if again, err := k.Canonical(canonical); err != nil || again != canonical {
			t.Fatalf("%s: %q is %q, and that %q, %v", k.Name, value, canonical, again, err)
		}
		if !k.Same(canonical, value) || !k.Same(value, canonical) {
			t.Fatalf("%s: %q is not the same as %q", k.Name, canonical, value)
		}
	})
}

// TestSameIsSymmetric checks that Same is symmetric for any values.
func TestSameIsSymmetric(t *testing.T) {
	all := everything()
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(all).Draw(t, "knob")
		a, b := values(k).Draw(t, "a"), values(k).Draw(t, "b")
		if k.Same(a, b) != k.Same(b, a) || !k.Same(a, a) {
			t.Fatalf("%s: %q and %q", k.Name, a, b)
		}
	})
}

func FuzzValue(f *testing.F) {
	all := everything()
	for i, value := range []string{"60", "64KiB", "0-3,8", "0=8,1=9", "noatime,commit=30", "1e999", "-1", "0x10", "30.1GB", "\x00", "strict 1", "on", ".", "+"} {
		f.Add(uint16(i*7), value, "1")
	}
	f.Fuzz(func(t *testing.T, n uint16, a, b string) {
		k := all[int(n)%len(all)]
		k.Same(a, b)
		k.Reading(a)
		k.Weakens(a)
		k.LosesMore(a, b)
		canonical, err := k.Canonical(a)
		if err != nil {
			return
		}
		if again, err := k.Canonical(canonical); err != nil || again != canonical || !k.Same(a, canonical) {
			t.Fatalf("%s: %q is %q, and that %q, %v", k.Name, a, canonical, again, err)
		}
	})
}

func FuzzParseKey(f *testing.F) {
	for _, text := range []string{"vm.swappiness", "read_ahead_kb@data", "@", "a@b@c", " a @ b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key := ParseKey(text)
		if back := ParseKey(key.String()); back != key {
			t.Fatalf("%q is %+v, and that %+v", text, key, back)
		}
		if k, err := Resolve("", key); err == nil && !strings.EqualFold(k.Name, key.Knob) {
			t.Fatalf("%q is %s", text, k.Name)
		}
	})
}
