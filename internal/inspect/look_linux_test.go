package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"plinth/internal/engine/postgres"
	"plinth/internal/host"
)

// TestLook inspects the machine of the test.
func TestLook(t *testing.T) {
	t.Parallel() // it waits to see who is busy
	dir := t.TempDir()
	i, err := Look(t.Context(), Target{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if i.Schema != Schema || i.Target != dir || i.Server != nil || i.Machine.CPU.Online == 0 || i.Machine.Memory.Total == 0 {
		t.Errorf("it is %+v", i)
	}
	if p := i.Machine.Places; len(p) != 1 || p[0].Role != "data" || p[0].Path != dir || p[0].Size == 0 {
		t.Errorf("the places are %+v", p)
	}
	text, err := json.Marshal(i)
	if err != nil || strings.Contains(string(text), `"findings":null`) || strings.Contains(string(text), `"gaps":null`) {
		t.Errorf("as JSON it is %s, %v", text, err)
	}
}

func TestLookIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Look(ctx, Target{Dir: "/"}); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
}

// TestHelp: who would see more is said once for each, and one role for all roles.
func TestHelp(t *testing.T) {
	i := Inspection{Server: &postgres.Facts{}, Machine: host.Inventory{
		Gaps:   []host.Gap{{What: "memory", Why: "/proc/meminfo: permission denied"}, {What: "swap", Why: "no such file"}},
		Places: []host.Place{{Role: "wal", Gaps: []host.Gap{{What: "disks", Why: "operation not permitted"}}}},
	}}
	i.addServerGaps([]postgres.Gap{{What: "a", Role: "pg_monitor"}, {What: "b", Role: "pg_read_all_stats"}, {What: "c", Why: "timeout"}})
	i.addMachineGaps()
	var got []string
	for _, h := range i.Help() {
		got = append(got, h.Who+": "+strings.Join(h.Adds, ", "))
	}
	if want := []string{"root: memory, disks of wal", "the role pg_monitor: a, b"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if unknown := i.Unknown(); len(unknown) != 2 || unknown[0].What != "c" || unknown[1].What != "swap" {
		t.Errorf("unknown: %v", unknown)
	}
	if len(i.Machine.Gaps)+len(i.Machine.Places[0].Gaps)+len(i.Server.Gaps) > 0 {
		t.Error("gaps are in two places")
	}
}
