package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Loading makes the emulated devices of a volume pass through while a dataset is
// loaded, which would take an hour on some; false puts their models back, with full
// buckets. It does nothing where nothing is emulated.
func (v *Volume) Loading(ctx context.Context, loading bool) error {
	return v.each(func(d *disk) error {
		if loading {
			return d.emulator.SetDevice(ctx, passThrough(d.model))
		}
		return errors.Join(d.emulator.SetDevice(ctx, d.model), d.emulator.Refill(ctx))
	})
}

// Refill fills the buckets of the volume's emulated devices.
func (v *Volume) Refill(ctx context.Context) error {
	return v.each(func(d *disk) error { return d.emulator.Refill(ctx) })
}

// each does something with each emulated disk.
func (v *Volume) each(do func(*disk) error) error {
	for _, d := range v.disks {
		if d.emulator == nil {
			continue
		}
		if err := do(d); err != nil {
			return fmt.Errorf("the %s volume: %w", v.Role, err)
		}
	}
	return nil
}

// hurry lets what is dirty be written at the speed of the disk behind: nobody
// measures any more.
func (v *Volume) hurry(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), waits.hurry)
	defer cancel()
	_ = v.Loading(ctx, true)
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
