package pods

import (
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
)

// TestMissingClass checks what decides whether an optional environment is left out.
func TestMissingClass(t *testing.T) {
	class := func(name string) experiment.Volume { return experiment.Volume{Class: name} }
	classes := []cluster.StorageClass{{Name: "fast"}, {Name: "local-path"}}
	for _, test := range []struct {
		storage experiment.Storage
		want    string
	}{
		{experiment.Storage{}, ""}, // an existing server
		{experiment.Storage{Data: class("fast"), WAL: class("local-path")}, ""},
		{experiment.Storage{Data: class("longhorn-1r")}, "longhorn-1r"},
		{experiment.Storage{Data: class("fast"), Temp: class("slow")}, "slow"},
		{experiment.Storage{Data: class("fast"), Tablespaces: []experiment.Tablespace{{Name: "cold", Volume: class("hdd")}}}, "hdd"},
	} {
		if got := missingClass(experiment.Environment{Storage: test.storage}, classes); got != test.want {
			t.Errorf("%+v: %q, want %q", test.storage, got, test.want)
		}
	}
}
