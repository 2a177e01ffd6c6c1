package volume

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/hint"
)

// PowerCut cuts the power of the volume's emulated devices: all I/O fails from now on, and
// unflushed data is lost. Servers must be killed before PowerReturn.
func (v *Volume) PowerCut(ctx context.Context) error {
	if v.facts.Emulation == nil {
		return fmt.Errorf("cannot cut the power of the %s volume: it is not emulated", v.Role)
	}
	return v.each(func(d *disk) error { return d.emulator.PowerCut(ctx) })
}

// busyLimit is how long processes that use the filesystem may take to exit.
const busyLimit = 10 * time.Second

// PowerReturn unmounts the filesystem, which has seen only errors since the power cut, restores the
// power, and mounts the filesystem again, so that it recovers as after a boot.
func (v *Volume) PowerReturn(ctx context.Context) error {
	defer freeAtEnd(ctx, v.mounts())()
	if err := v.unmountWhole(ctx); err != nil {
		return fmt.Errorf("cannot unmount the %s volume after the power cut: %w", v.Role, err)
	}
	if err := v.each(func(d *disk) error { return d.emulator.PowerOn(ctx) }); err != nil {
		return err
	}
	if err := v.mountAgain(ctx); err != nil {
		return fmt.Errorf("the %s volume after the power cut: %w", v.Role, err)
	}
	return nil
}

// unmountWhole unmounts completely. Detaching would not do: the kernel would keep the old
// filesystem with its state in memory, and mount that again.
func (v *Volume) unmountWhole(ctx context.Context) error {
	return orAbort("unmount "+v.mounted.Target, v.mounted.Source, v.mounted.Emulators, func() error {
		ctx, cancel := context.WithTimeout(ctx, busyLimit)
		defer cancel()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			err := unmount(v.mounted.Target)
			if !isBusy(err) {
				return err
			}
			select {
			case <-ctx.Done():
				return hint.Wrap(errors.Join(err, context.Cause(ctx)), "end the processes that use the volume")
			case <-tick.C:
			}
		}
	})
}
