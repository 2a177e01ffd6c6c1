package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/record"
)

// Number of attempts at verifying a volume's delays. The cost of the path drifts with the machine
// (idle states of its CPUs, other load), so after an attempt that is not near the model, even if
// it holds, the difference corrects what is subtracted from each delay. If an attempt does not
// hold even then, as many more follow: what keeps a machine busy just after its settings were
// switched is over in a second or two.
const (
	calibrations     = 3
	mostCalibrations = 6
)

// Calibrate measures single reads and writes on an emulated volume that nothing else uses, and
// compares them with the model. On an array, it reads from the first member, since no array makes
// single reads faster, and writes to the array. During the measurement the limits are off;
// afterwards the buckets are full. A deviation is not an error: the validity rules judge it.
func (v *Volume) Calibrate(ctx context.Context) (record.Calibration, error) {
	if v.facts.Emulation == nil {
		return record.Calibration{}, fmt.Errorf("cannot calibrate the %s volume: it is not emulated", v.Role)
	}
	defer freeAtEnd(ctx, v.mounts())()
	p, err := lastCalibration(func() (emulator.Calibration, error) {
		p, err := emulator.Calibrate(ctx, v.disks[0].path, filepath.Join(v.mounted.Target, calibrationFile), v.model(), v.Emulators()...)
		return p, endedBy(ctx, err)
	}, func(p emulator.Calibration) error { return v.correct(ctx, p) })
	if err != nil {
		return record.Calibration{}, err
	}
	return record.Calibration{
		Role:         v.Role,
		ExpectedRead: int64(p.ExpectedRead), MeasuredRead: int64(p.MeasuredRead), BoundRead: int64(p.BoundRead),
		ExpectedWrite: int64(p.ExpectedWrite), MeasuredWrite: int64(p.MeasuredWrite), BoundWrite: int64(p.BoundWrite),
		Operations: p.Operations,
	}, nil
}

// lastCalibration repeats the verification until the result is near or the attempts are used up, with a
// correction after each.
func lastCalibration(prove func() (emulator.Calibration, error), correct func(emulator.Calibration) error) (emulator.Calibration, error) {
	for try := 1; ; try++ {
		p, err := prove()
		if err != nil || try == mostCalibrations || try >= calibrations && p.Holds() == nil || p.Near() {
			return p, err
		}
		if err := correct(p); err != nil {
			return p, err
		}
	}
}

// model returns the model as the filesystem uses it: without barriers the filesystem sends no
// flushes, so even a synced write is a plain write.
func (v *Volume) model() device.Device {
	model, options := v.facts.Emulation.Model, v.part.Volume.Mount
	if !slices.Contains(options, "nobarrier") && !slices.Contains(options, "barrier=0") {
		return model
	}
	if model.Array != nil {
		array := *model.Array
		array.Of = withoutCache(*array.Of)
		model.Array = &array
		return model
	}
	return *withoutCache(model)
}

func withoutCache(d device.Device) *device.Device {
	d.WriteCache, d.Flush = false, device.Latency{}
	return &d
}

// correct adjusts what is subtracted from each delay: more if operations were too slow, less if
// they were too fast.
func (v *Volume) correct(ctx context.Context, p emulator.Calibration) error {
	for _, d := range v.disks {
		if d.emulator == nil {
			continue
		}
		d.fitted.Read = corrected(d.fitted.Read, p.MeasuredRead-p.ExpectedRead, p.ExpectedRead)
		d.fitted.Write = corrected(d.fitted.Write, p.MeasuredWrite-p.ExpectedWrite, p.ExpectedWrite)
		if err := d.emulator.Calibrate(ctx, d.fitted); err != nil {
			return err
		}
	}
	return nil
}

// mostCorrected is the largest cost of the path that is corrected. If the path costs more, the
// machine is unsuitable for emulation, and the measurements should show it.
const mostCorrected = 400 * time.Microsecond

// Share of a deviation that is corrected; the rest may be chance. Operations can be too fast only
// because the path's cost was overestimated. They can be too slow because of other load, and a
// correction for that makes them too fast once the load ends: gp3's 1.8 ms once came out as 1.58
// ms.
const (
	quickShare = 0.75
	slowShare  = 0.25
)

func corrected(cost, off, expected time.Duration) time.Duration {
	if expected == 0 {
		return cost // the model has no delay
	}
	share := quickShare
	if off > 0 {
		share = slowShare
	}
	return min(max(cost+time.Duration(share*float64(off)), 0), mostCorrected)
}

// The file that verification writes to is beside the owner's directory. All of it is written in
// advance: the first write to a page would also write to the filesystem's journal.
const (
	calibrationFile = "proof"
	calibrationSize = 4 << 20
)

// prepareCalibration creates that file while the devices pass through.
func prepareCalibration(root *os.Root) error {
	f, err := root.OpenFile(calibrationFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, calibrationSize))
	return errors.Join(err, f.Sync(), f.Close())
}
