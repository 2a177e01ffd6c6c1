package device

import "testing"

func TestOfEBS(t *testing.T) {
	gp3, err := Configure("gp3", Options{IOPS: 6000})
	if err != nil {
		t.Fatal(err)
	}
	array, err := RAID(10, 4, 0, gp3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		device Device
		want   bool
	}{{gp3, true}, {array, true}, {Device{Name: "mine"}, false}, {Device{Name: "longhorn"}, false}} {
		if got := c.device.OfEBS(); got != c.want {
			t.Errorf("%s: %v", c.device.Name, got)
		}
	}
}
