package figure

import (
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/host"
	"plinth/internal/record"
)

// TestInstanceLimit checks that the ceiling of an EBS volume is the lower one of the volume and its
// instance, and that a volume that is not of EBS has only its own.
func TestInstanceLimit(t *testing.T) {
	gp3 := func(iops float64) *record.Said {
		model, err := device.Configure("gp3", device.Options{IOPS: iops})
		if err != nil {
			t.Fatal(err)
		}
		return &record.Said{Model: model, Source: "plinth devices"}
	}
	large := &record.Instance{Name: "m6i.large", IOPS: 3600, Throughput: 81.25e6}
	ebs := []host.Remote{{Name: "nvme1n1", Protocol: host.Cloud, Product: "Amazon EBS"}}
	for _, tc := range []struct {
		name     string
		volume   record.Volume
		instance *record.Instance
		iops     float64
		flow     float64
		from     string
	}{
		{"a volume above its instance", record.Volume{Is: gp3(12000)}, large, 3600, 81.25e6, "where lower, the EBS limit of the instance m6i.large"},
		{"a volume below", record.Volume{Is: gp3(3000)}, large, 3000, 81.25e6, "is: gp3"},
		{"without an instance", record.Volume{Is: gp3(12000)}, nil, 12000, 125 << 20, "is: gp3"},
		{"a volume of unknown type", record.Volume{Remote: ebs}, large, 3600, 81.25e6, "EBS limit of the instance m6i.large, without bursts"},
		{"a local disk", record.Volume{}, large, 0, 0, ""},
		{"emulated", record.Volume{Emulation: &record.Emulation{Model: gp3(12000).Model}}, large, 12000, 125 << 20, "model of gp3"},
	} {
		tc.volume.Role, tc.volume.Device = "data", "nvme1n1"
		m := &maker{in: Input{Environment: record.Environment{Instance: tc.instance, Volumes: []record.Volume{tc.volume}}}}
		iops, flow, from := m.modelled("nvme1n1")
		if iops != tc.iops || flow != tc.flow || !strings.Contains(from, tc.from) {
			t.Errorf("%s: %g IOPS, %g bytes/s, %q; want %g, %g, %q", tc.name, iops, flow, from, tc.iops, tc.flow, tc.from)
		}
	}
}
