package figure_test

import (
	"strings"
	"testing"
)

// What was read of the load generator's machine is no figure of a server elsewhere.
func TestAServerElsewhere(t *testing.T) {
	in := input(table{
		"tps": each(9, 100), "meminfo.Dirty": each(9, 1e9), "stat.cpu.user": each(9, 1), "process.generator.cpu": each(9, 1), "perf.cycles": each(9, 1e9),
		"wal.bytes": each(9, 1000),
	})
	if figures, _ := of(t, in); figures["dirty-peak"] != 1e9 {
		t.Fatalf("dirty-peak: %v", figures)
	}
	in.Environment.Elsewhere = true
	figures, gaps := of(t, in)
	for _, name := range []string{"dirty-peak", "dirty-peak-second", "cpu-use", "memory-use", "data-disk-iops", "io-pressure", "cycles-per-transaction", "remote-numa-share"} {
		if _, made := figures[name]; made || !strings.Contains(gaps[name], "does not run on the machine") {
			t.Errorf("%s: %v, %q", name, figures[name], gaps[name])
		}
	}
	if figures["wal-bytes-per-transaction"] != 10 {
		t.Errorf("what the server itself says is lost: %v", figures)
	}
}
