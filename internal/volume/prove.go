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

// How often a volume may try to prove its delays. What the path costs drifts with the
// machine (how deep its CPUs sleep, who else runs), so an attempt that comes out far
// from the model, though it may hold, corrects what is taken off each delay by what it
// found. One that does not hold even then has as many tries again: what keeps a machine
// busy just after its settings were switched is over in a second or two.
const (
	proofs     = 3
	mostProofs = 6
)

// Prove measures single reads and writes on an emulated volume that nobody else
// uses, beside what its model says. An array's is that of its first member for
// reads, which no array hurries, and of the whole for writes. Limits are off
// meanwhile, and buckets full afterwards. It is no error when they differ: whoever
// judges the run decides.
func (v *Volume) Prove(ctx context.Context) (record.Proof, error) {
	if v.facts.Emulation == nil {
		return record.Proof{}, fmt.Errorf("cannot prove the %s volume: it is not emulated", v.Role)
	}
	defer freeAtEnd(ctx, v.mounts())()
	p, err := lastProof(func() (emulator.Proof, error) {
		p, err := emulator.Prove(ctx, v.disks[0].path, filepath.Join(v.mounted.Target, proofName), v.proven(), v.Emulators()...)
		return p, endedBy(ctx, err)
	}, func(p emulator.Proof) error { return v.correct(ctx, p) })
	if err != nil {
		return record.Proof{}, err
	}
	return record.Proof{
		Role:         v.Role,
		ExpectedRead: int64(p.ExpectedRead), MeasuredRead: int64(p.MeasuredRead), BoundRead: int64(p.BoundRead),
		ExpectedWrite: int64(p.ExpectedWrite), MeasuredWrite: int64(p.MeasuredWrite), BoundWrite: int64(p.BoundWrite),
		Operations: p.Operations,
	}, nil
}

// lastProof proves until a proof is near, or enough were tried, with a correction after
// each.
func lastProof(prove func() (emulator.Proof, error), correct func(emulator.Proof) error) (emulator.Proof, error) {
	for try := 1; ; try++ {
		p, err := prove()
		if err != nil || try == mostProofs || try >= proofs && p.Holds() == nil || p.Near() {
			return p, err
		}
		if err := correct(p); err != nil {
			return p, err
		}
	}
}

// proven is the model as the filesystem makes use of it: without barriers it sends no
// flushes, and then a durable write, so called, is a write.
func (v *Volume) proven() device.Device {
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

// correct takes off each delay what operations took too long, or less where they
// were too quick.
func (v *Volume) correct(ctx context.Context, p emulator.Proof) error {
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

// mostCorrected is what the path may be said to cost at the most: a machine on which
// it costs more is no place for emulation, and what is measured then shall show it.
const mostCorrected = 400 * time.Microsecond

// How much of a difference is corrected; the rest may be chance. Nothing but a cost
// that was told too high makes operations too quick. Too slow they may be because
// somebody else is busy just now, and what is taken off for that is missing when he is
// done: gp3's 1.8 ms came out as 1.58 once.
const (
	quickShare = 0.75
	slowShare  = 0.25
)

func corrected(cost, off, expected time.Duration) time.Duration {
	if expected == 0 {
		return cost // nothing is waited for
	}
	share := quickShare
	if off > 0 {
		share = slowShare
	}
	return min(max(cost+time.Duration(share*float64(off)), 0), mostCorrected)
}

// The file that proofs write to lies beside the owner's directory. All of it is
// written beforehand: a first write to a page would be one to the filesystem's
// journal as well.
const (
	proofName = "proof"
	proofSize = 4 << 20
)

// prepareProof makes that file, while the devices pass through.
func prepareProof(root *os.Root) error {
	f, err := root.OpenFile(proofName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, proofSize))
	return errors.Join(err, f.Sync(), f.Close())
}
