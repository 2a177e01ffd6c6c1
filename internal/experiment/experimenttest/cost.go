package experimenttest

import (
	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// anyCost returns what is paid for an environment, without a machine that is owned.
func anyCost(t *rapid.T) experiment.Cost {
	c := experiment.Cost{
		Region: oneOf(t, "", "us-west-2"), Term: oneOf(t, "", "spot"), Machines: rapid.IntRange(0, 3).Draw(t, "machines"),
		Discount: unit.Share(rapid.SampledFrom([]float64{0, 0.3, 0.7}).Draw(t, "discount")),
	}
	for range rapid.IntRange(0, 2).Draw(t, "volumes") {
		c.Volumes = append(c.Volumes, experiment.CostVolume{
			For: oneOf(t, "data", "wal"), Type: oneOf(t, "", "gp3", "io2"), Count: rapid.IntRange(0, 8).Draw(t, "count"),
			Size: unit.Size(rapid.IntRange(0, 100).Draw(t, "GiB")) * unit.GiB, IOPS: float64(rapid.IntRange(0, 64000).Draw(t, "IOPS")),
		})
	}
	if rapid.Bool().Draw(t, "further") {
		c.Further = map[string]string{"licences": "120", "archive": "4.50"}
	}
	return c
}
