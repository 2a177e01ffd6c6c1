package limit

import (
	"math"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

var everything = experiment.Limits{CPUs: 1, CPUQuota: 0.5, Memory: 1 * unit.GiB}

func TestCheckRefuses(t *testing.T) {
	m := machine{
		cores:  []host.Core{{CPUs: []int{0, 2}}, {CPUs: []int{1, 3}}},
		memory: int64(8 * unit.GiB),
		places: map[string]place{"cpuset": {version: 1, own: t.TempDir() + "/gone"}, "cpu": {version: 1, own: t.TempDir()}},
	}
	for name, tc := range map[string]struct {
		limits     experiment.Limits
		text, hint string
	}{
		"too many CPUs":         {experiment.Limits{CPUs: 5}, "cpus: 5, but plinth is limited to 4 CPUs", "4 or less"},
		"negative CPUs":         {experiment.Limits{CPUs: -1}, "cpus: -1 is not a number of CPUs", "leave cpus out"},
		"negative quota":        {experiment.Limits{CPUQuota: -0.5}, "cpu_quota: -0.5 is below the kernel's minimum", "leave cpu_quota out"},
		"hardly any quota":      {experiment.Limits{CPUQuota: 0.001}, "cpu_quota: 0.001 is below", "leave cpu_quota out"},
		"no number":             {experiment.Limits{CPUQuota: math.NaN()}, "cpu_quota: NaN is below", "leave cpu_quota out"},
		"quota of all and more": {experiment.Limits{CPUQuota: 4.5}, "would never be reached: plinth is limited to 4 CPUs", "less than 4"},
		"quota above the CPUs":  {experiment.Limits{CPUs: 2, CPUQuota: 3}, "would never be reached: cpus is 2", "less than 2"},
		"hardly any memory":     {experiment.Limits{Memory: unit.MiB}, "memory: 1MiB is less than any server needs to start", "what a server needs"},
		"negative memory":       {experiment.Limits{Memory: -unit.GiB}, "is less than any server needs to start", ""},
		"too much memory":       {experiment.Limits{Memory: 9 * unit.GiB}, "memory: 9GiB is more than the machine has (8GiB)", "less"},
		"no memory controller":  {experiment.Limits{Memory: unit.GiB}, `no controller "memory"`, "cgroup_enable=memory"},
		"a group that is gone":  {experiment.Limits{CPUs: 1}, "is not allowed to create control groups in", "as root"},
		"no control group":      {experiment.Limits{CPUQuota: 1}, "is not allowed to create control groups in", "as root"},
	} {
		err := m.check(tc.limits)
		if err == nil || !strings.Contains(err.Error(), tc.text) || !strings.Contains(hint.Of(err), tc.hint) {
			t.Errorf("%s: %v (hint %q), want %q", name, err, hint.Of(err), tc.text)
		}
	}
	m.places = nil
	if err := m.check(experiment.Limits{CPUs: 1}); err == nil || !strings.Contains(err.Error(), "no control groups are mounted") {
		t.Errorf("without control groups: %v", err)
	}
	if err := Check(experiment.Limits{}); err != nil {
		t.Errorf("no limits: %v", err)
	}
}

func TestGivenCPUs(t *testing.T) {
	m := machine{cores: []host.Core{{CPUs: []int{0}}, {CPUs: []int{1}}, {CPUs: []int{2}}}}
	for _, tc := range []struct {
		asked int
		cpus  []int
		ok    bool
	}{
		{0, nil, true}, {2, nil, true}, {2, []int{0, 2}, true}, {1, []int{2}, true},
		{1, []int{0, 2}, false}, {2, []int{1, 1}, false}, {1, []int{3}, false}, {1, []int{-1}, false},
	} {
		if err := m.own(experiment.Limits{CPUs: tc.asked}, tc.cpus); (err == nil) != tc.ok {
			t.Errorf("%d CPUs as %v: %v", tc.asked, tc.cpus, err)
		}
	}
}

func TestDirty(t *testing.T) {
	for _, tc := range []struct{ limit, machine, most, background unit.Size }{
		{0, 64 * unit.GiB, 0, 0},
		{10 * unit.GiB, 64 * unit.GiB, 2 * unit.GiB, unit.GiB},
		{64 * unit.GiB, 64 * unit.GiB, 0, 0},
	} {
		l, machine := experiment.Limits{Memory: tc.limit}, int64(tc.machine)
		most, background := dirty(l, machine)
		if most != int64(tc.most) || background != int64(tc.background) {
			t.Errorf("%v of %v: %d and %d, want %d and %d", tc.limit, tc.machine, most, background, tc.most, tc.background)
		}
		if notes := dirtyNotes(l, machine); (len(notes) == 1) != (most > 0) {
			t.Errorf("%v of %v: %+v", tc.limit, tc.machine, notes)
		}
	}
}

func TestRanges(t *testing.T) {
	for want, cpus := range map[string][]int{"": nil, "3": {3}, "0-1": {0, 1}, "0,2-4,9": {0, 2, 3, 4, 9}} {
		if got := host.Ranges(cpus); got != want {
			t.Errorf("%v: %q, want %q", cpus, got, want)
		}
	}
}

func TestLimitsAbove(t *testing.T) {
	first := tree(t, map[string]string{
		"memory/memory.limit_in_bytes":     "2147483648\n",
		"memory/a/memory.limit_in_bytes":   "9223372036854771712\n",
		"memory/a/b/memory.limit_in_bytes": "4294967296\n",
		"cpu/cpu.cfs_quota_us":             "-1\n",
		"cpu/cpu.cfs_period_us":            "100000\n",
		"cpu/a/cpu.cfs_quota_us":           "75000\n",
		"cpu/a/cpu.cfs_period_us":          "50000\n",
	})
	second := tree(t, map[string]string{
		"a/memory.max": "max\n", "a/b/memory.max": "2147483648\n",
		"a/cpu.max": "150000 100000\n", "a/b/cpu.max": "max 100000\n",
	})
	for version, places := range map[int]map[string]place{
		1: {"memory": {1, first + "/memory", first + "/memory/a/b"}, "cpu": {1, first + "/cpu", first + "/cpu/a"}},
		2: {"memory": {2, second, second + "/a/b"}, "cpu": {2, second, second + "/a/b"}},
	} {
		m := machine{places: places}
		for _, tc := range []struct {
			l    experiment.Limits
			text string
		}{
			{experiment.Limits{}, ""},
			{experiment.Limits{Memory: 2 * unit.GiB, CPUQuota: 1.5}, ""},
			{experiment.Limits{Memory: 2*unit.GiB + 1}, "has (2GiB)"},
			{experiment.Limits{CPUQuota: 1.6}, "has (1.5)"},
		} {
			err := m.checkAbove(tc.l)
			if tc.text == "" && err != nil || tc.text != "" && (err == nil || !strings.Contains(err.Error(), tc.text) || hint.Of(err) == "") {
				t.Errorf("version %d, %+v: %v, want %q", version, tc.l, err, tc.text)
			}
		}
	}
	if err := (machine{}).checkAbove(everything); err != nil {
		t.Errorf("without groups: %v", err)
	}
}
