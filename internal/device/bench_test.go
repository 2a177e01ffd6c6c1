package device

import (
	"testing"
	"time"
)

// BenchmarkSubmit is what the model costs for each request. It must stay well under
// a microsecond: an emulator has some 60 for all of it.
func BenchmarkSubmit(b *testing.B) {
	array, err := RAID(10, 8, 0, gp3().Device)
	if err != nil {
		b.Fatal(err)
	}
	longhorn, _ := Find("longhorn-3r")
	sata, _ := Find("sata-ssd")
	for _, d := range []Device{gp3().Device, gp2().Device, sata.Device, longhorn.Device, array} {
		b.Run(d.Name, func(b *testing.B) {
			s := NewStation(d, 1)
			b.ReportAllocs()
			for i := range b.N {
				s.Submit(time.Duration(i)*300*time.Microsecond, Request{Write, int64(i) * 8192, 8192})
			}
		})
	}
}

// TestSubmitAllocatesNothing, whatever the device.
func TestSubmitAllocatesNothing(t *testing.T) {
	for _, e := range Catalog() {
		array, err := RAID(10, 8, 0, e.Device)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []Device{e.Device, array} {
			s, now := NewStation(d, 1), time.Duration(0)
			allocations := testing.AllocsPerRun(100, func() {
				now += time.Microsecond
				s.Submit(now, Request{Write, int64(now) * 512, 1 << 20})
				s.Submit(now, Request{Read, int64(now) * 512, 8192})
				s.Submit(now, Request{Kind: Flush})
				s.Balances(now)
				s.Used()
			})
			if allocations != 0 {
				t.Errorf("%s: %v allocations", d.Name, allocations)
			}
		}
	}
}
