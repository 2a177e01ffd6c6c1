package device

import (
	"errors"
	"math"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// TestCheckRefuses: everything that no device can be, by the name of its field.
func TestCheckRefuses(t *testing.T) {
	gp3 := gp3().Device
	array := func(level, members int, chunk unit.Size) func(*Device) {
		return func(d *Device) { *d = Device{Name: "a", Array: &Array{level, members, chunk, &gp3}} }
	}
	for want, change := range map[string]func(*Device){
		"name is missing":                                func(d *Device) { d.Name = " " },
		"name is longer than 100":                        func(d *Device) { d.Name = strings.Repeat("x", 101) },
		"read.median is negative":                        func(d *Device) { d.Read.Median = -1 },
		"read.p99 is negative":                           func(d *Device) { d.Read.P99 = -1 },
		"read.p99 of 1ms is below the median of 2ms":     func(d *Device) { d.Read = Latency{micros(2000), micros(1000)} },
		"write.p99 is set without a median":              func(d *Device) { d.Write = Latency{0, micros(1)} },
		"write.median is 120s: it can be at most 60s":    func(d *Device) { d.Write = Latency{micros(120e6), 0} },
		"flush is set without write_cache":               func(d *Device) { d.Flush.Median = 1 },
		"iops.rate is not a number":                      func(d *Device) { d.IOPS.Rate = math.NaN() },
		"iops.rate is negative":                          func(d *Device) { d.IOPS.Rate = -3 },
		"iops.rate is more than any device can":          func(d *Device) { d.IOPS.Rate = math.Inf(1) },
		"iops.rate is below 0.001 a second":              func(d *Device) { d.IOPS.Rate = 1e-300 },
		"iops.rate is missing":                           func(d *Device) { d.IOPS = Limit{0, 3000, 100} },
		"iops.burst_rate is below the rate":              func(d *Device) { d.IOPS = Limit{3000, 2000, 100} },
		"iops.burst is missing":                          func(d *Device) { d.IOPS = Limit{3000, 4000, 0} },
		"iops.burst_rate is missing":                     func(d *Device) { d.IOPS = Limit{3000, 0, 100} },
		"iops.burst takes more than a year":              func(d *Device) { d.IOPS = Limit{1, 2, 1e12} },
		"iops.burst is not a number":                     func(d *Device) { d.IOPS = Limit{1, 2, math.NaN()} },
		"throughput.rate is negative":                    func(d *Device) { d.Throughput.Rate = -1 },
		"throughput.burst_rate is below the rate":        func(d *Device) { d.Throughput = FlowLimit{2000, 1000, 5} },
		"operation_size is negative":                     func(d *Device) { d.OperationSize = -1 },
		"operation_size is less than 512B":               func(d *Device) { d.OperationSize = 1 },
		"queue_depth is negative":                        func(d *Device) { d.QueueDepth = -1 },
		"queue_depth is more than 65536":                 func(d *Device) { d.QueueDepth = 1 << 20 },
		"replicas is negative":                           func(d *Device) { d.Replicas = -1 },
		"replicas is more than 16":                       func(d *Device) { d.Replicas, d.RoundTrip.Median = 17, 1 },
		"round_trip is missing":                          func(d *Device) { d.Replicas = 2 },
		"replicas is missing":                            func(d *Device) { d.RoundTrip.Median = 1 },
		"array.level is 5: it can be 0, 1 or 10":         array(5, 4, 64*unit.KiB),
		"array.members is 1: it can be 2 to 64":          array(0, 1, 64*unit.KiB),
		"array.members is 65":                            array(0, 65, 64*unit.KiB),
		"array.members is 5: RAID 10 needs an even":      array(10, 5, 64*unit.KiB),
		"array.members is 2: RAID 10 needs at least 4":   array(10, 2, 64*unit.KiB),
		"array.chunk is set, but RAID 1":                 array(1, 2, 64*unit.KiB),
		"array.chunk is 0B: it must be a power of two":   array(0, 2, 0),
		"array.chunk is 2KiB: it must be a power of two": array(0, 2, 2*unit.KiB),
		"array.chunk is 96KiB":                           array(10, 4, 96*unit.KiB),
		"array takes its figures from its members":       func(d *Device) { d.Array = &Array{0, 2, 64 * unit.KiB, &gp3} },
		"array.of is missing":                            func(d *Device) { *d = Device{Name: "a", Array: &Array{1, 2, 0, nil}} },
		"array.of.name is missing":                       func(d *Device) { *d = Device{Name: "a", Array: &Array{1, 2, 0, &Device{}}} },
		"array.of.array is an array of arrays": func(d *Device) {
			*d = Device{Name: "a", Array: &Array{1, 2, 0, &Device{Name: "b", Array: &Array{1, 2, 0, &gp3}}}}
		},
	} {
		d := gp3
		change(&d)
		var m *Mistake
		if err := d.Check(); !errors.As(err, &m) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestCheckHints(t *testing.T) {
	err := Device{Name: "x", Flush: Latency{1, 0}}.Check()
	if got := hint.Of(err); got != "set write_cache: true, or leave flush out" {
		t.Errorf("hint: %q", got)
	}
}

// TestCheckAccepts: whatever is in the catalog, arrays of it, and nothing at all.
func TestCheckAccepts(t *testing.T) {
	for _, e := range Catalog() {
		if err := e.Device.Check(); err != nil {
			t.Errorf("%s: %v", e.Device.Name, err)
		}
		for _, level := range []int{0, 1, 10} {
			if _, err := RAID(level, 4, 0, e.Device); err != nil {
				t.Errorf("raid%d of %s: %v", level, e.Device.Name, err)
			}
		}
	}
}
