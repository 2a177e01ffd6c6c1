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

// Freely runs do while emulated devices pass requests through without delay. It is for work
// that is not measured, such as loading and writing back dirty pages: loading onto a volume
// like gp2 would take an hour, and on a volume of few IOPS the write-back after a load as long
// as the load.
func (s *Stand) Freely(ctx context.Context, do func() error) error {
	err := s.passThrough(ctx, true)
	if err == nil {
		err = do()
	}
	// Also after a failure or a cancellation: whatever comes next needs the model's delays.
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

// Rehearse verifies the delays of a stand's emulated devices. Then it refills their token
// buckets, so that every run begins with full buckets, whatever came before.
func (s *Stand) Rehearse(ctx context.Context) (proofs []record.Calibration, err error) {
	for _, v := range s.Emulated() {
		proof, err := v.Calibrate(ctx)
		if err != nil {
			return proofs, err
		}
		proofs = append(proofs, proof)
	}
	for _, v := range s.Emulated() {
		if err := v.Refill(ctx); err != nil {
			return proofs, err
		}
	}
	return proofs, nil
}

// Timekeeper holds the counters of emulated devices before a load.
type Timekeeper struct {
	volumes []*volume.Volume
	before  [][]emulator.Reading // of each volume's devices
}

// NewTimekeeper reads the counters of the emulated devices before a load.
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

// Enter adds the devices' lateness since then to the proofs, which are in the order of the
// volumes. For several devices under one volume the highest lateness counts.
func (t *Timekeeper) Enter(ctx context.Context, proofs []record.Calibration) error {
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

// EmulatorsAlive returns the reason why an emulator of the stand has exited; nil if all are
// running.
func (s *Stand) EmulatorsAlive(ctx context.Context) error {
	for _, v := range s.Emulated() {
		for _, e := range v.Emulators() {
			if err := e.Ended(ctx); err != nil {
				return fmt.Errorf("the emulated %s device of %s has exited: %w", v.Role, s.Environment.Name, err)
			}
		}
	}
	return nil
}

// Watched returns the emulated devices as telemetry reads them.
func (s *Stand) Watched() []emulated.Device {
	var devices []emulated.Device
	for _, v := range s.Emulated() {
		all, model := v.Emulators(), v.Facts().Emulation.Model
		if len(all) > 1 { // the members of an md array
			model = model.Member()
		}
		for i, e := range all {
			devices = append(devices, emulated.Device{Volume: strings.TrimPrefix(EmulatorName(v, i), "emulator-"), Model: model, Read: e.Reading})
		}
	}
	return devices
}

// EmulatorName returns the name of a volume's i-th emulator: "emulator-data", with a number
// appended if the volume has several.
func EmulatorName(v *volume.Volume, i int) string {
	name := "emulator-" + strings.ReplaceAll(v.Role, " ", "-")
	if len(v.Emulators()) > 1 {
		name += "-" + strconv.Itoa(i+1)
	}
	return name
}
