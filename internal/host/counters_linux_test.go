package host

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestParseSwapped(t *testing.T) {
	for text, want := range map[string]swapped{
		"pswpin 3\npswpout 70\n":                         {3, 70},
		"nr_free 1\npswpout 5\nxpswpin 9\npswpin 0\nz 1": {0, 5},
	} {
		if got, err := parseSwapped([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "pswpin 3\n", "pswpin x\npswpout 1\n", "pswpin -1\npswpout 1\n", "pswpin\npswpout\n",
		"pswpin 99999999999999999999\npswpout 1\n"} {
		if got, err := parseSwapped([]byte(text)); err == nil {
			t.Errorf("%q: %v without an error", text, got)
		}
	}
}

func TestParseCPUStat(t *testing.T) {
	for _, c := range []struct {
		text    string
		version int
		want    float64
	}{
		{"usage_usec 1\nnr_throttled 2\nthrottled_usec 1500000\n", 2, 1.5},
		{"nr_periods 11\nthrottled_time 813971568\n", 1, 0.813971568},
		{"usage_usec 1\n", 2, 0},
		{"throttled_time 813971568\n", 2, 0}, // a name of the other version
		{"", 1, 0},
	} {
		if got := parseCPUStat([]byte(c.text), c.version); got != c.want {
			t.Errorf("%q: %v", c.text, got)
		}
	}
}

func TestParseCPUMax(t *testing.T) {
	for text, want := range map[string]float64{
		"200000 100000": 2, "50000 100000\n": 0.5, "max 100000": 0, "-1 100000": 0, "": 0, "100000": 0,
		"100000 0": 0, "0 100000": 0, "1e5 100000": 0,
	} {
		if got, limited := parseCPUMax(text); got != want || limited != (want > 0) {
			t.Errorf("%q: %v, %v", text, got, limited)
		}
	}
}

func TestCPUGroupOf(t *testing.T) {
	hybrid := fstest.MapFS{"sys/fs/cgroup/unified/cgroup.procs": {}}
	for name, c := range map[string]struct {
		root    fstest.MapFS
		cgroup  string
		version int
		dirs    []string
	}{
		"version 2": {nil, "0::/a/b\n", 2, []string{"sys/fs/cgroup/a/b", "sys/fs/cgroup/a", "sys/fs/cgroup"}},
		"version 1": {nil, "4:cpu,cpuacct:/x\n1:name=systemd:/y\n", 1, []string{"sys/fs/cgroup/cpu/x", "sys/fs/cgroup/cpu"}},
		"hybrid with the controller in version 1": {hybrid, "0::/a\n2:cpu:/\n", 1, []string{"sys/fs/cgroup/cpu"}},
		"hybrid with the controller in version 2": {hybrid, "0::/a\n2:cpuset:/\n", 2, []string{"sys/fs/cgroup/unified/a", "sys/fs/cgroup/unified"}},
		"a name with colons":                      {nil, "0::/a:b:c\n", 2, []string{"sys/fs/cgroup/a:b:c", "sys/fs/cgroup"}},
		"above the root of the namespace":         {nil, "0::/../x\n", 2, []string{"sys/fs/cgroup/x", "sys/fs/cgroup"}},
		"none":                                    {nil, "3:cpuset:/\nnonsense\n", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cpuGroupOf(c.root, c.cgroup); got.version != c.version || !slices.Equal(got.dirs, c.dirs) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestParseSwaps(t *testing.T) {
	const head = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
	for text, want := range map[string]string{
		"":   "off",
		head: "off",
		head + "/swap\\040file file 100 0 -2\n/dev/sda3 partition 1 1 5\n": "/dev/sda3, /swap\\040file",
	} {
		if got := parseSwaps(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestIsVirtual(t *testing.T) {
	for text, want := range map[string]bool{
		"processor\t: 0\nflags\t\t: fpu hypervisor sse\n": true,
		"flags\t\t: fpu sse\nbugs\t: hypervisor\n":        false,
		"Features\t: fp asimd\n":                          false,
		"":                                                false,
	} {
		if got := isVirtual(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestRanges(t *testing.T) {
	for want, list := range map[string][]int{
		"": nil, "0": {0}, "0-3": {3, 1, 2, 0}, "0,2,4-5": {0, 2, 4, 5}, "7-8,10": {10, 8, 7},
	} {
		if got := Ranges(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestChosen(t *testing.T) {
	for text, want := range map[string]string{
		"always [madvise] never": "madvise", "none": "none", "": "", "[none]": "none", "a ] [b": "a ] [b",
	} {
		if got := chosen(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What a fuzzer finds must be a figure that can be, or an error; and never a panic.
func FuzzCounters(f *testing.F) {
	for _, text := range []string{"pswpin 3\npswpout 70\n", "nr_throttled 2\nthrottled_usec 1500000\n",
		"throttled_time 813971568\n", "throttled_usec 18446744073709551615\n", "307262546 46937771 302\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := parseSwapped([]byte(text)); err == nil && (s.in < 0 || s.out < 0) {
			t.Errorf("%+v", s)
		}
		for version := 1; version <= 2; version++ {
			if s := parseCPUStat([]byte(text), version); s < 0 {
				t.Errorf("%v", s)
			}
		}
	})
}

func FuzzConditions(f *testing.F) {
	for _, text := range []string{"200000 100000", "always [madvise] never", "0::/a/b\n", "4:cpu,cpuacct:/x\n",
		"0::/../../etc\n", "/swap file 1 1 1\n", "flags : hypervisor\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if cpus, limited := parseCPUMax(text); limited != (cpus > 0) {
			t.Errorf("%v, %v", cpus, limited)
		}
		for _, dir := range cpuGroupOf(fstest.MapFS{}, text).dirs {
			if dir != "sys/fs/cgroup" && !strings.HasPrefix(dir, "sys/fs/cgroup/") {
				t.Errorf("leads out of the tree: %q", dir)
			}
		}
		if chosen(text) == "" && text != "" && !strings.Contains(text, "[]") {
			t.Errorf("%q has become nothing", text)
		}
		if parseSwaps(text) == "" {
			t.Error("swap is neither on nor off")
		}
		isVirtual(text)
	})
}
