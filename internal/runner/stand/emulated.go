package stand

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"plinth/internal/emulator"
	"plinth/internal/record"
	"plinth/internal/telemetry/emulated"
	"plinth/internal/volume"
)

// Freely does what is no part of what is measured: loading, and writing out what is
// dirty. Emulated devices let it through as fast as they can: a volume such as gp2 would
// take an hour for what was only to be there, and one of few IOPS as long as the load for
// what that left behind.
func (s *Stand) Freely(ctx context.Context, do func() error) error {
	err := s.passThrough(ctx, true)
	if err == nil {
		err = do()
	}
	// Also after a failure, and for an end that was asked for: whatever comes next must
	// find the model.
	return errors.Join(err, s.passThrough(context.WithoutCancel(ctx), false))
}

func (s *Stand) passThrough(ctx context.Context, yes bool) error {
	for _, v := range s.Emulated() {
		if err := v.Loading(ctx, yes); err != nil {
			return err
		}
	}
	return nil
}

// Rehearse lets the emulated devices of a stand prove their delays. Then each is as
// one that has rested: every run begins with full buckets, whatever came before.
func (s *Stand) Rehearse(ctx context.Context, run *record.Run) error {
	for _, v := range s.Emulated() {
		proof, err := v.Prove(ctx)
		if err != nil {
			return err
		}
		run.Proofs = append(run.Proofs, proof)
	}
	for _, v := range s.Emulated() {
		if err := v.Refill(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Timekeeper holds what emulated devices had done before a load.
type Timekeeper struct {
	volumes []*volume.Volume
	before  [][]emulator.Reading // of each volume's devices
}

// NewTimekeeper begins to keep how late the emulated devices are.
func (s *Stand) NewTimekeeper(ctx context.Context) (*Timekeeper, error) {
	t := &Timekeeper{volumes: s.Emulated()}
	for _, v := range t.volumes {
		readings, err := readingsOf(ctx, v)
		if err != nil {
			return nil, err
		}
		t.before = append(t.before, readings)
	}
	return t, nil
}

func readingsOf(ctx context.Context, v *volume.Volume) ([]emulator.Reading, error) {
	var readings []emulator.Reading
	for _, e := range v.Emulators() {
		reading, err := e.Reading(ctx)
		if err != nil {
			return nil, err
		}
		readings = append(readings, reading)
	}
	return readings, nil
}

// Enter enters into the proofs, which are in the order of the volumes, how late the
// devices were since. Of several under one volume the latest counts.
func (t *Timekeeper) Enter(ctx context.Context, proofs []record.Proof) error {
	for i, v := range t.volumes {
		after, err := readingsOf(ctx, v)
		if err != nil {
			return err
		}
		proof := &proofs[i]
		for n, reading := range after {
			late := emulator.Late(t.before[i][n], reading)
			proof.Answered += late.Answered
			proof.LateMean = max(proof.LateMean, late.Mean.Nanoseconds())
			proof.LateP99 = max(proof.LateP99, late.P99.Nanoseconds())
			proof.LateMax = max(proof.LateMax, late.Max.Nanoseconds())
			proof.CPU += (reading.CPU - t.before[i][n].CPU).Seconds()
			if failed := reading.Errors - t.before[i][n].Errors; failed > 0 {
				return fmt.Errorf("%d operations of the emulated %s device failed: %s", failed, v.Role, reading.FirstError)
			}
		}
	}
	return nil
}

// EmulatorsAlive is why an emulated device of the stand has ended; nil while all are there.
func (s *Stand) EmulatorsAlive(ctx context.Context) error {
	for _, v := range s.Emulated() {
		for _, e := range v.Emulators() {
			if err := e.Ended(ctx); err != nil {
				return fmt.Errorf("the emulated %s device of %s has ended: %w", v.Role, s.Environment.Name, err)
			}
		}
	}
	return nil
}

// Watched are the emulated devices as telemetry reads them.
func (s *Stand) Watched() []emulated.Device {
	var devices []emulated.Device
	for _, v := range s.Emulated() {
		all, model := v.Emulators(), v.Facts().Emulation.Model
		if len(all) > 1 { // the members of an array that md makes of them
			model = *model.Array.Of
		}
		for i, e := range all {
			devices = append(devices, emulated.Device{Volume: strings.TrimPrefix(EmulatorName(v, i), "emulator-"), Model: model, Read: e.Reading})
		}
	}
	return devices
}

// EmulatorName tells the emulators of a stand apart: "emulator-data"; with a number
// behind it where a volume has several.
func EmulatorName(v *volume.Volume, i int) string {
	name := "emulator-" + strings.ReplaceAll(v.Role, " ", "-")
	if len(v.Emulators()) > 1 {
		name += "-" + strconv.Itoa(i+1)
	}
	return name
}
