package figure_test

import (
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/record"
	emulation "plinth/internal/telemetry/emulated"
)

// emulated is the longest operations of the emulated devices of data and WAL.
func emulated() table {
	t := table{}
	for _, volume := range []string{"data", "wal"} {
		for _, kind := range []string{"read", "write", "flush"} {
			t["emulator."+volume+"."+kind+"_latency_max"] = each(8, 0.004)
		}
	}
	return t
}

// TestLongestRequests: the longest of all seconds, of the members of an array the longest of
// any, and of WAL on the data's device that of the device.
func TestLongestRequests(t *testing.T) {
	model := &record.Emulation{Model: device.Device{Name: "gp3"}}
	data, wal := record.Volume{Role: "data", Device: "loop0", Emulation: model}, record.Volume{Role: "wal", Device: "loop1", Emulation: model}
	disk := record.Volume{Role: "data", Disks: []string{"sda"}}
	const none = "the emulated device answered no flush in the window"
	for _, c := range []struct {
		name    string
		volumes []record.Volume
		columns table
		gaps    []record.TelemetryGap
		data    float64
		wal     float64
		why     string
	}{
		{"each its own", []record.Volume{data, wal},
			table{"emulator.data.flush_latency_max": {0.001, 0.005, 0.002, gap}, "emulator.wal.flush_latency_max": {gap, gap, 0.003, gap}}, nil, 5e6, 3e6, ""},
		{"one for both", []record.Volume{data}, table{"emulator.data.flush_latency_max": {0.001, 0.005, 0.002, 0.001}}, nil, 5e6, 5e6, ""},
		{"an array", []record.Volume{data},
			table{"emulator.data-1.flush_latency_max": {0.001, gap, 0.002, 0.001}, "emulator.data-2.flush_latency_max": {gap, 0.007, gap, gap}}, nil, 7e6, 7e6, ""},
		{"a real disk beside the emulated WAL", []record.Volume{disk, wal},
			table{"emulator.wal.flush_latency_max": {0.001, 0.002, 0.001, 0.001}}, nil, 0, 2e6, noLongest},
		{"none", []record.Volume{data}, table{"emulator.data.flush_latency_max": each(4, gap)}, nil, 0, 0, none},
		{"not read", []record.Volume{data}, table{"emulator.data.flush_latency_max": {0.001, gap, gap, gap}},
			[]record.TelemetryGap{{Columns: []string{"emulator.data.*"}, From: 1, To: 3, Why: "the emulator hangs"}}, 0, 0, "known in 1 of 4 seconds: the emulator hangs"},
		{"read at the end", []record.Volume{data}, table{"emulator.data.flush_latency_max": {gap, gap, gap, 0.001}},
			[]record.TelemetryGap{{Columns: []string{"emulator.data.flush_latency_max"}, From: -2, To: 1, Why: "the emulator hangs"}}, 1e6, 1e6, ""},
		{"of an older record", []record.Volume{data}, table{"emulator.data.reads": each(4, 1)}, nil, 0, 0, "nothing is recorded for emulator.data.flush_latency_max"},
	} {
		in := input(c.columns.with(table{"tps": each(4, 1)}))
		in.Environment.Volumes, in.Run.Telemetry.Gaps = c.volumes, c.gaps
		figures, gaps := of(t, in)
		if figures["data-disk-flush-latency-max"] != c.data || figures["wal-disk-flush-latency-max"] != c.wal || gaps["data-disk-flush-latency-max"] != c.why {
			t.Errorf("%s: data %g, WAL %g, %q", c.name, figures["data-disk-flush-latency-max"], figures["wal-disk-flush-latency-max"], gaps["data-disk-flush-latency-max"])
		}
	}
	for column := range emulated() {
		if m, known := metricOf(emulation.Metrics(), column); !known || m.Unit != "s" {
			t.Errorf("%s is not written in seconds: %+v", column, m)
		}
	}
}

// TestLongestSyncOfACheckpoint: that of the window alone, and the reason where there is none.
func TestLongestSyncOfACheckpoint(t *testing.T) {
	for _, c := range []struct {
		longest []float64
		gap     string
		value   float64
		why     string
	}{
		{[]float64{gap, 0.02, gap, 0.011}, "", 20e6, ""},
		{[]float64{gap, 0, gap, gap}, "", 0, ""},
		{each(4, gap), "", 0, "no checkpoint that synced a file completed in the window"},
		{each(4, gap), "log_checkpoints is off", 0, "log_checkpoints is off"},
	} {
		in := input(table{"checkpoints.sync_longest": c.longest})
		if c.gap != "" {
			in.Run.Telemetry.Gaps = []record.TelemetryGap{{Columns: []string{"checkpoints.sync_longest"}, From: -2, To: 3, Why: c.gap}}
		}
		figures, gaps := of(t, in)
		if got := figures["checkpoint-sync-max"]; got != c.value || gaps["checkpoint-sync-max"] != c.why {
			t.Errorf("%v: %g, %q", c.longest, got, gaps["checkpoint-sync-max"])
		}
	}
}

// TestTimeInSyncs is a total: one second that is not known leaves none.
func TestTimeInSyncs(t *testing.T) {
	for _, c := range []struct {
		latency, syncs []float64
		value          float64
		why            string
	}{
		{[]float64{0.002, gap, 0.004, 0.001}, []float64{100, 0, 50, 1000}, 1.4e9, ""},
		{[]float64{0.002, 0.002, gap, 0.002}, []float64{100, 100, gap, 100}, 0, "known in 3 of 4 seconds"},
		{each(4, gap), each(4, 100), 0, "track_wal_io_timing is off"},
		{each(4, gap), each(4, 0), 0, "wal.syncs was 0 in the whole window"},
		{nil, nil, 0, "nothing is recorded for wal.syncs"},
	} {
		columns := table{"tps": each(4, 1)}
		if c.syncs != nil {
			columns = columns.with(table{"wal.sync_latency": c.latency, "wal.syncs": c.syncs})
		}
		in := input(columns)
		if strings.HasPrefix(c.why, "track") {
			in.Run.Telemetry.Gaps = []record.TelemetryGap{{Columns: []string{"wal.sync_latency"}, From: -2, To: 3, Why: c.why}}
		}
		figures, gaps := of(t, in)
		why := gaps["wal-sync-time"]
		if known := figures["wal-sync-time"] != 0; known != (c.value != 0) || !strings.HasPrefix(why, c.why) || (c.why == "") != (why == "") {
			t.Errorf("%v of %v: %g, %q", c.latency, c.syncs, figures["wal-sync-time"], why)
		} else if known {
			near(t, "the time in syncs", figures["wal-sync-time"], c.value)
		}
	}
}
