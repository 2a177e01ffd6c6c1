package stand

import (
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/host"
	"plinth/internal/record"
)

func TestRemoteNotes(t *testing.T) {
	ebs := host.Remote{Name: "nvme1n1", Protocol: host.Cloud, Product: "Amazon EBS"}
	longhorn := host.Remote{Name: "sda", Protocol: "iscsi", Product: "Longhorn"}
	for _, tc := range []struct {
		name   string
		volume record.Volume
		rule   string // "": no note
		text   string
	}{
		{"a local disk", record.Volume{Role: "data"}, "", ""},
		{"iSCSI", record.Volume{Role: "data", Remote: []host.Remote{longhorn, longhorn}}, "network-storage", "data is on network storage (iSCSI, Longhorn)"},
		{"EBS of unknown type", record.Volume{Role: "wal", Remote: []host.Remote{ebs}}, "cloud-volume", "wal is on a cloud volume (Amazon EBS) of unknown type"},
		{"EBS of a declared type", record.Volume{Role: "data", Remote: []host.Remote{ebs}, Is: &record.Said{Model: device.Device{Name: "gp3"}}}, "", ""},
	} {
		notes := remoteNotes([]record.Volume{tc.volume})
		switch {
		case tc.rule == "" && len(notes) == 0:
		case len(notes) != 1 || notes[0].Rule != tc.rule || !strings.Contains(notes[0].Text, tc.text):
			t.Errorf("%s: %+v", tc.name, notes)
		}
	}
}
