//go:build linux && measure

package probe

import (
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/measuretest"
)

// TestMeasureProbeOfAModel emulates a device and probes it: the result must match the model. The
// steps are so short that the latency of the first answers matters.
func TestMeasureProbeOfAModel(t *testing.T) {
	hosttest.NeedRoot(t)
	hosttest.ComeFirst(t)
	l := newLab(t, "")
	l.emulate()
	measuretest.Ask(t, "Does a probe of an emulated device find the values of its model?", func(m *measuretest.M) {
		r, err := Run(m.Context(), l.options)
		if err != nil {
			m.Fatal(err)
		}
		d := r.Device
		m.Between("read latency, relative to the model", d.Read.Median.Seconds()/slow.Read.Median.Seconds(), "", 0.95, 1.05)
		m.Between("write latency, relative to the model", d.Write.Median.Seconds()/slow.Write.Median.Seconds(), "", 0.95, 1.05)
		m.Between("IOPS, relative to the model", d.IOPS.Rate/slow.IOPS.Rate, "", 0.92, 1.08)
		m.Between("throughput, relative to the model", float64(d.Throughput.Rate)/float64(slow.Throughput.Rate), "", 0.92, 1.08)
		cache := 0.0
		if d.WriteCache {
			cache = 1
		}
		m.AtMost("write caches found, although the model has none", cache, "", 0)
	})
}

// TestMeasureLyingVolume probes an emulated volume that is faster than its local disk, and one that is not: an emulated device is
// never faster than its model.
func TestMeasureLyingVolume(t *testing.T) {
	hosttest.NeedRoot(t)
	hosttest.ComeFirst(t)
	l := newLab(t, "")
	fast, slow := l.emulated(lyingVolume), l.emulated(sluggish)
	l.options.twoSteps()
	measuretest.Ask(t, "Does a probe name a volume that is faster than its local disk?", func(m *measuretest.M) {
		for path, local := range map[string]string{fast: slow, slow: fast} {
			o := l.options
			o.Path, o.Local = path, local
			r, err := Run(m.Context(), o)
			if err != nil {
				m.Fatal(err)
			}
			want, what := lies, "of the two rules, those that name the faster volume"
			if path == slow {
				want, what = nil, "of the two rules, those that name the slower volume"
			}
			m.Between(what, float64(len(aboutLocal(r.Notes))), "", float64(len(want)), float64(len(want)))
		}
	})
}
