//go:build linux && measure

package volume

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/measuretest"
)

// TestMeasureVolumes measures how close volumes are to their models.
func TestMeasureVolumes(t *testing.T) {
	for _, filesystem := range []string{"ext4", "xfs"} {
		t.Run(filesystem, func(t *testing.T) {
			measuretest.Ask(t, "How large is an emulated volume's error during verification, relative to the tolerance?", func(m *measuretest.M) {
				v, _, _ := makeEmulated(m.T, journaltest.Open(m, Undoers()), filesystem)
				proof, err := v.Calibrate(m.Context())
				if err != nil {
					m.Fatal(err)
				}
				off := func(measured, expected, bound int64) float64 {
					return math.Abs(float64(measured-expected)) / float64(bound)
				}
				m.AtMost("read", off(proof.MeasuredRead, proof.ExpectedRead, proof.BoundRead), "", 1)
				m.AtMost("write", off(proof.MeasuredWrite, proof.ExpectedWrite, proof.BoundWrite), "", 1)
			})
		})
	}
}

// TestMeasureCorrection measures how well verification corrects a wrong calibration, in both
// directions.
func TestMeasureCorrection(t *testing.T) {
	const wrong = 60 * time.Microsecond // of the 100 µs that the bound allows at 2 ms
	measuretest.Ask(t, "How far is a read from the model after a wrong calibration is corrected?", func(m *measuretest.M) {
		v, _, _ := makeEmulated(m.T, journaltest.Open(m, Undoers()), "ext4")
		d := v.disks[0]
		fitted := d.fitted
		for what, read := range map[string]time.Duration{"too fast before the correction": fitted.Read + wrong, "too slow before the correction": max(0, fitted.Read-wrong)} {
			d.fitted.Read = read
			if err := d.emulator.Calibrate(m.Context(), d.fitted); err != nil {
				m.Fatal(err)
			}
			p, err := v.Calibrate(m.Context())
			if err != nil {
				m.Fatal(err)
			}
			m.AtMost(what, math.Abs(float64(p.MeasuredRead-p.ExpectedRead))/1e3, "µs", 100)
		}
	})
}

// TestMeasureLoading checks that a pass-through is faster than the model.
func TestMeasureLoading(t *testing.T) {
	measuretest.Ask(t, "How long does the fastest synced write take while a dataset is being loaded, on a device whose model takes 16 ms?", func(m *measuretest.M) {
		v, _, _ := makeEmulated(m.T, journaltest.Open(m, Undoers()), "ext4")
		if err := v.Loading(m.Context(), true); err != nil {
			m.Fatal(err)
		}
		best := time.Hour
		for range 20 {
			began := time.Now()
			if err := write(filepath.Join(v.Path, "timed"), "content", true); err != nil {
				m.Fatal(err)
			}
			best = min(best, time.Since(began))
		}
		m.AtMost("fastest synced write", best.Seconds()*1e3, "ms", 16)
	})
}

// TestMeasureProofOnBtrfs checks by its duration that a synced write on btrfs is one write.
func TestMeasureProofOnBtrfs(t *testing.T) {
	measuretest.Ask(t, "How long does a synced write on btrfs take, relative to the model?", func(m *measuretest.M) {
		d := cachelessDisk(hosttest.OpenDir(m))
		o := Options{Journal: journaltest.Open(m, Undoers()), Launcher: launch.NewLocal(), Owner: serverUser(m.T), Name: "x"}
		v, err := Make(m.Context(), o, partOf(experiment.Volume{Disk: d, Filesystem: "btrfs"}))
		if err != nil {
			m.Fatal(err)
		}
		proof, err := emulator.Calibrate(m.Context(), v.disks[0].path, filepath.Join(v.mounted.Target, calibrationFile), v.model(), v.Emulators()...)
		if err != nil {
			m.Fatal(err)
		}
		m.Between("synced write", float64(proof.MeasuredWrite)/float64(proof.ExpectedWrite), "", 0.5, 1.5)
	})
}
