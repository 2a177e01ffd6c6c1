package runpage

import (
	"testing"

	"plinth/internal/record"
)

func TestDiskByRole(t *testing.T) {
	p := &Page{env: record.Environment{Volumes: []record.Volume{
		{Role: "data", Device: "loop26", Disks: []string{"vda"}}, {Role: "wal", Device: "loop27", Disks: []string{"vda"}}, {Role: "temp", Device: "loop26"},
	}}}
	for name, want := range map[string]string{
		"loop26 busy": "data and temp disk (loop26) busy", "loop27 write iops": "wal disk (loop27) write iops",
		"vda busy": "vda busy", "cpu": "cpu", "memory of the server": "memory of the server",
	} {
		if got := p.byRole(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
