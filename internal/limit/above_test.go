package limit

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

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
