package proof

import (
	"fmt"
	"testing"
)

// TestOnward: a change makes no setting smaller that is meant to become larger.
func TestOnward(t *testing.T) {
	now := map[string]string{"max_wal_size": "48GB", "checkpoint_timeout": "300s", "bgwriter_delay": "200ms", "wal_buffers": "-1", "maxmemory": "100mb", "commit_delay": "2000"}
	for change, want := range map[*map[string]any]string{
		{"max_wal_size": "8GB", "checkpoint_timeout": "30min"}: "map[settings:map[checkpoint_timeout:30min]]",
		{"max_wal_size": "8GB"}:                                "map[]",
		{"bgwriter_delay": "10ms"}:                             "map[settings:map[bgwriter_delay:10ms]]",
		{"wal_buffers": "64MB"}:                                "map[settings:map[wal_buffers:64MB]]",
		{"maxmemory": "0"}:                                     "map[settings:map[maxmemory:0]]",
		{"commit_delay": 1000}:                                 "map[]",
		{"work_mem": "64MB"}:                                   "map[settings:map[work_mem:64MB]]",
	} {
		if got := fmt.Sprint(onward(now, map[string]any{"settings": *change})); got != want {
			t.Errorf("%v: %s, want %s", *change, got, want)
		}
	}
	if got := onward(now, map[string]any{"limits": map[string]any{"memory": nil}}); len(got) != 1 {
		t.Error(got)
	}
}
