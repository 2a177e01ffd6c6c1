package device

import (
	"encoding/json"
	"testing"
	"time"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// alone is how long one request takes on a device that does nothing else.
func alone(d Device, r Request) time.Duration {
	return NewStation(d, 1).Submit(time.Hour, r) - time.Hour
}

// TestScaleKeepsOneOperation: a smaller disk of the same kind takes as long for one
// operation, a long one too, scaled once or twice, also as the emulator's process is
// told of it; its rates alone are smaller.
func TestScaleKeepsOneOperation(t *testing.T) {
	array, err := RAID(10, 4, 64*unit.KiB, gp3().Device)
	if err != nil {
		t.Fatal(err)
	}
	for _, whole := range []Device{gp3().Device, gp2().Device, array} {
		for name, d := range map[string]Device{
			"scaled": Scale(whole, 0.2), "twice": Scale(Scale(whole, 0.5), 0.4), "unlimited": Unlimited(whole),
			"unlimited when scaled": Unlimited(Scale(whole, 0.2)), "told": told(t, Scale(whole, 0.2)),
		} {
			for _, r := range []Request{{Read, 0, 8192}, {Read, 0, 256 << 10}, {Write, 0, 1 << 20}} {
				if got, want := alone(d, r), alone(whole, r); (got - want).Abs() > time.Microsecond {
					t.Errorf("%s %s: one %v takes %s, of the whole disk %s", whole.Name, name, r, got, want)
				}
			}
		}
		iops, rate := Scale(whole, 0.2).Provisioned()
		all, flow := whole.Provisioned()
		if !near(iops, 0.2*all, 1e-9) || !near(float64(rate), 0.2*float64(flow), 1e-6) {
			t.Errorf("%s: scaled to %v and %v of %v and %v", whole.Name, iops, rate, all, flow)
		}
		if iops, rate := Unlimited(whole).Provisioned(); iops != 0 || rate != 0 {
			t.Errorf("%s: unlimited, and lets through %v and %v", whole.Name, iops, rate)
		}
		if same := Scale(whole, 1); same != whole {
			t.Errorf("%s: scaled by 1 it is %+v", whole.Name, same)
		}
	}
}

// told is what somebody else makes of a device as JSON.
func told(t *testing.T, d Device) (other Device) {
	text, err := json.Marshal(d)
	if err == nil {
		err = json.Unmarshal(text, &other)
	}
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// TestTransferIsInNoFile: model files have whole disks.
func TestTransferIsInNoFile(t *testing.T) {
	d := Scale(Device{Name: "x", Read: Latency{micros(100), 0}, Throughput: FlowLimit{Rate: mebibytes(100)}}, 0.5)
	want := "name: x\nread: {median: 100us}\nthroughput: {rate: 50MiB/s}\n"
	if got := string(d.YAML()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	_, err := ReadFile([]byte("name: x\n\"-\": 100MiB/s\n"))
	if err == nil || hint.Of(err) == "" {
		t.Errorf("a key that no file has: %v, hint %q", err, hint.Of(err))
	}
}
