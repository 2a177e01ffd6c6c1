package predicting

import (
	"slices"
	"testing"

	"plinth/internal/prediction"
)

// FuzzParseWhatIf checks that what is accepted are positive values of a known key, in ascending order if they are
// a range, and not too many.
func FuzzParseWhatIf(f *testing.F) {
	for _, seed := range []string{"iops=250..4000", "clients=4,8,16", "latency=500us..5ms", "throughput=60MiB/s..1GiB/s", "cpus=1..8", "iops=1..1e300", "iops=,", "=..", "latency=NaN"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, values, err := parseWhatIf(text)
		if err != nil {
			return
		}
		if !slices.Contains(prediction.SweepKeys, key) || len(values) == 0 {
			t.Fatalf("%q: %q, %v", text, key, values)
		}
		for _, v := range values {
			if !(v > 0) {
				t.Fatalf("%q: %v", text, values)
			}
		}
	})
}

func FuzzParseDevice(f *testing.F) {
	for _, seed := range []string{"gp3", "gp3,iops=6000", "gp3,iops=6000,throughput=250MiB/s", "gp3,", "io2,iops=-1", "gp3,iops=Inf"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDevice(text)
		if err == nil && d.Check() != nil {
			t.Fatalf("%q: %v", text, d.Check())
		}
	})
}
