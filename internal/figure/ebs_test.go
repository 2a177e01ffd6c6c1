package figure_test

import (
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/figure"
	"plinth/internal/host"
	"plinth/internal/record"
)

func TestShippedChecklists(t *testing.T) {
	for _, name := range figure.Shipped() {
		list, err := figure.LoadChecklist(name)
		if err != nil || list.Empty() || len(figure.ShippedYAML(name)) == 0 {
			t.Errorf("%s: %+v %v", name, list, err)
		}
	}
	if list, err := figure.LoadChecklist(""); err != nil || !list.Empty() {
		t.Errorf("without a name: %+v %v", list, err)
	}
	if figure.ShippedYAML("mine") != nil {
		t.Error("a checklist named mine is shipped")
	}
}

// volume returns a volume that is said to be a device, or is emulated.
func volume(role, model string, emulated, array bool) record.Volume {
	of := device.Device{Name: model}
	if array {
		of = device.Device{Name: "RAID 10 of 8 " + model, Array: &device.Array{Level: 10, Members: 8, Of: &device.Device{Name: model}}}
	}
	v := record.Volume{Role: role, Device: "sda", Is: &record.Said{Model: of}}
	if emulated {
		v.Is, v.Emulation = nil, &record.Emulation{Model: of}
	}
	return v
}

// TestChecklistForEBS checks which items an environment has beside the published ones, and their
// grades.
func TestChecklistForEBS(t *testing.T) {
	run := &record.Run{Telemetry: &record.Telemetry{}, Figures: map[string]float64{
		"data-disk-queue": 2, "data-disk-read-latency": 4e6, "data-disk-write-latency": 2e6, "data-disk-iops-use": 0.95, "data-disk-throughput-use": 0.2,
		"wal-disk-queue": 5, "wal-disk-write-latency": 6e6,
	}}
	for _, c := range []struct {
		name    string
		volumes []record.Volume
		want    string // of the items on disks
	}{
		{"nothing is known", []record.Volume{{Role: "data"}}, ""},
		{"another disk", []record.Volume{volume("data", "local-nvme", true, false)}, ""},
		{"a hard disk", []record.Volume{volume("data", "st1", false, false)}, ""},
		{"gp3", []record.Volume{volume("data", "gp3", false, false)},
			"data disk queue: warning, data disk read latency: warning, data disk write latency: good, data disk IOPS: warning, data disk throughput: good"},
		{"emulated io2", []record.Volume{volume("data", "io2", true, false)},
			"data disk queue: good, data disk read latency: warning, data disk write latency: warning, data disk IOPS: warning, data disk throughput: good"},
		{"an array", []record.Volume{volume("data", "gp2", true, true)}, // the bounds of a queue are those of one volume
			"data disk read latency: warning, data disk write latency: good, data disk IOPS: warning, data disk throughput: good"},
		{"EBS of unknown type", []record.Volume{{Role: "data", Device: "nvme1n1", Remote: []host.Remote{{Name: "nvme1n1", Protocol: host.Cloud, Product: "Amazon EBS"}}}},
			"data disk read latency: warning, data disk write latency: good, data disk IOPS: warning, data disk throughput: good"},
		{"WAL alone", []record.Volume{{Role: "data"}, volume("wal", "gp3", false, false)},
			"WAL disk queue: critical, WAL disk write latency: critical, WAL disk IOPS: unknown, WAL disk throughput: unknown"},
		{"two types", []record.Volume{volume("data", "gp3", false, false), volume("wal", "io2-block-express", false, false)},
			"data disk queue: warning, data disk read latency: warning, data disk write latency: good, data disk IOPS: warning, data disk throughput: good, " +
				"WAL disk queue: critical, WAL disk write latency: critical, WAL disk IOPS: unknown, WAL disk throughput: unknown"},
	} {
		list := figure.ChecklistFor(record.Environment{Server: "PostgreSQL", Volumes: c.volumes})
		published := 0
		var found []string
		for _, item := range list.Check(run, "PostgreSQL") {
			if strings.Contains(item.Title, " disk ") {
				found = append(found, item.Title+": "+string(item.Grade))
			} else {
				published++
			}
		}
		if got := strings.Join(found, ", "); got != c.want || published != 6 {
			t.Errorf("%s: %d published items, %q, want %q", c.name, published, got, c.want)
		}
		if strings.Count(list.Source, "EBS Performance") != min(len(found), 1) {
			t.Errorf("%s: source %q", c.name, list.Source)
		}
	}
}

// TestChecklistForEBSUnderRedis checks that Redis, which the published list is not about, has the items
// of its volume.
func TestChecklistForEBSUnderRedis(t *testing.T) {
	list := figure.ChecklistFor(record.Environment{Server: "Redis", Volumes: []record.Volume{volume("data", "gp3", true, false)}})
	run := &record.Run{Telemetry: &record.Telemetry{}, Figures: map[string]float64{"data-disk-queue": 2}}
	items := list.Check(run, "Redis")
	if len(items) != 5 || items[0].Title != "data disk queue" || items[0].Grade != figure.Warning || strings.HasPrefix(list.Source, ";") {
		t.Errorf("%+v, source %q", items, list.Source)
	}
	if items := figure.ChecklistFor(record.Environment{Server: "Redis"}).Check(run, "Redis"); len(items) > 0 {
		t.Errorf("without a known volume: %+v", items)
	}
}
