package figure_test

import (
	"maps"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/metric"
	"plinth/internal/record"
)

// TestEveryFigureCanBeMade from some input, and nothing is made that the catalog does
// not have.
func TestEveryFigureCanBeMade(t *testing.T) {
	in := input(eight().with(emulated()).with(table{
		"diskstats.sda.flushes": each(8, 1), "diskstats.sda.flush_latency": each(8, 0.001),
		"diskstats.sdc.reads": each(8, 1), "diskstats.sdc.read_latency": each(8, 0.001),
	}))
	emulation := &record.Emulation{Model: device.Device{Name: "gp3", IOPS: device.Limit{Rate: 3000}, Throughput: device.FlowLimit{Rate: 125 << 20}}}
	in.Environment.Volumes[0].Device, in.Environment.Volumes[0].Emulation, in.Environment.Volumes[1].Emulation = "sda", emulation, emulation
	figures, gaps := of(t, committing(in))
	redis := redisInput()
	redis.Environment.Volumes[0].Device, redis.Environment.Volumes[0].Emulation = "sda", emulation
	server, lacks := of(t, redis)
	maps.Copy(figures, server)
	if len(gaps) > 0 || len(lacks) > 0 {
		t.Errorf("gaps: %v %v", gaps, lacks)
	}
	for _, f := range metric.Figures() {
		if _, made := figures[f.Name]; !made && f.Name != metric.Wait {
			t.Errorf("%s was not made", f.Name)
		}
	}
	for name := range figures {
		if _, known := metric.FigureNamed(name); !known {
			t.Errorf("%s is not in the catalog", name)
		}
	}
}

// TestNothingIsKnown: then each figure of the catalog is a gap with its reason, in the
// order of the catalog: of which server it is is not known either.
func TestNothingIsKnown(t *testing.T) {
	in := input(nil)
	in.Run, in.Environment, in.Inventory, in.Points = &record.Run{}, record.Environment{}, nil, record.Points{}
	figures, gaps := of(t, in)
	if len(figures) > 0 {
		t.Errorf("figures: %v", figures)
	}
	for _, f := range metric.Figures() {
		if gaps[f.Name] == "" && !strings.HasPrefix(f.Name, "replication-") { // there is no replica
			t.Errorf("%s has no reason", f.Name)
		}
	}
	if gaps["tps-peak"] != "no second of the window was recorded" || gaps["data-disk-iops"] != "the location of the data is not known" {
		t.Errorf("gaps: %v", gaps)
	}
}
