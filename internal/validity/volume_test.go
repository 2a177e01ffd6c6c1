package validity

import (
	"slices"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// differInData gives the environments of a case different data volumes.
func differInData(c *Case) {
	c.Experiment.Environments = []experiment.Environment{
		{Name: "disk", Storage: experiment.Storage{Data: experiment.Volume{Directory: "/disk"}}},
		{Name: "memory", Storage: experiment.Storage{Data: experiment.Volume{Directory: "/memory"}}},
		{Name: "nfs", Storage: experiment.Storage{Data: experiment.Volume{Directory: "/nfs"}}},
	}
}

func onData(reads float64) []record.VolumeIO { return []record.VolumeIO{{Role: "data", Reads: reads}} }

func TestDifferingRoles(t *testing.T) {
	in := func(directory string) experiment.Volume { return experiment.Volume{Directory: directory} }
	for _, test := range []struct {
		storages []experiment.Storage
		want     []string
	}{
		{[]experiment.Storage{{Data: in("/a")}, {Data: in("/a")}}, nil},
		{[]experiment.Storage{{Data: in("/a")}, {Data: in("/b")}}, []string{"data"}},
		{[]experiment.Storage{{Data: in("/a")}, {Data: in("/a"), WAL: in("/b")}}, []string{"wal"}},
		{[]experiment.Storage{
			{Data: in("/a"), Tablespaces: []experiment.Tablespace{{Name: "hot", Volume: in("/x")}, {Name: "cold", Volume: in("/x")}}},
			{Data: in("/a"), Tablespaces: []experiment.Tablespace{{Name: "hot", Volume: in("/x")}, {Name: "cold", Volume: in("/y")}}},
		}, []string{"tablespace cold"}},
	} {
		var environments []experiment.Environment
		for _, s := range test.storages {
			environments = append(environments, experiment.Environment{Storage: s})
		}
		if got := differingRoles(environments); !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.storages, got, test.want)
		}
	}
}
