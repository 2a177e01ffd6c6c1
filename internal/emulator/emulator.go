// Package emulator is a disk that the machine does not have: a block device whose reads, writes and
// flushes take the time that a model of a device says, so that a database above it has a
// real filesystem, with its page cache, its journal and the kernel's limits on dirty
// pages.
//
// It has two forms, which differ in where requests come from (front) and in nothing
// else. Where the kernel has nbd it is a network block device whose connection leads to
// the emulator: a block device by itself. Where not, it is the file of a filesystem of
// plinth's own (FUSE), and a loop device with direct I/O on that file.
//
// What is written lies in a backing file. It is written at once, when the request
// arrives, and what is left of the model's time is waited out afterwards; where
// the backing is slower than the model, lateness says so.
//
// What the form promises about data:
//
//   - A device without a write cache has what was acknowledged in the backing
//     file. Killing the emulator loses nothing of it: it is in the host's page cache.
//     A power cut of the host itself could lose it, for no flush ever arrives.
//   - A device with a write cache keeps writes aside in memory until a flush, which
//     writes them to the backing file and syncs that: what was flushed is as safe
//     as on the backing disk. Killing the emulator loses the rest, as a power cut
//     of the real device would.
//
// What it does not reproduce: discards take no time, and the path to the emulator
// costs CPU that a real disk does not. What the path costs
// is measured and taken off each delay (Fit).
//
// The emulator is a process of its own: its CPU is counted as its own. It stays in
// the control groups of the plinth that started it. A server with limits has groups
// of its own (package limit), so that its dirty pages never wait for an emulator that
// waits for the server's memory: both in one group with a memory limit hang for good
// in writeback. A server without limits is in plinth's groups as well; where those
// have a memory limit (a container's, a service's) nothing here keeps the two apart.
package emulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// Emulator is an emulator that runs, as its process.
type Emulator struct {
	config  Config
	process launch.Process
	output  *output
	stop    sync.Once
	stopped error

	mu     sync.Mutex
	device device.Device // what it acts as
}

// selfPath is this program, even when its file was replaced meanwhile.
const selfPath = "/proc/self/exe"

// startLimit is how long an emulator may take to start: some 100 ms are usual.
const startLimit = 30 * time.Second

// stopSignal ends an emulator in an orderly way.
const stopSignal = syscall.SIGTERM

// stopGrace is how long an emulator may take to write what it holds.
const stopGrace = 3 * time.Second

// Start starts an emulator. When it returns without an error what it serves is there,
// and answers.
func Start(ctx context.Context, l launch.Launcher, c Config) (*Emulator, error) {
	e, err := start(ctx, l, c)
	if err != nil {
		return nil, fmt.Errorf("cannot emulate a device: %w", err)
	}
	return e, nil
}

func start(ctx context.Context, l launch.Launcher, c Config) (*Emulator, error) {
	if err := errors.Join(c.check(), makeAvailable(ctx, l, c.Form)); err != nil {
		return nil, err
	}
	config, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	out := &output{ready: make(chan struct{})}
	p, err := l.Start(launch.Command{Path: selfPath, Args: []string{processName, string(config)}, Dir: "/",
		Stdout: out, Stderr: out, Stop: stopSignal, Grace: stopGrace})
	if err != nil {
		return nil, err
	}
	e := &Emulator{config: c, process: p, output: out, device: c.Device}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := e.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, e.Stop(context.WithoutCancel(ctx)))
	}
	return e, nil
}

func (e *Emulator) awaitReady(ctx context.Context) error {
	select {
	case <-e.output.ready:
		return nil
	case <-e.Done():
		return e.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Image is what it serves: the block device itself, as "/dev/nbd3", or of the form FUSE
// the file that a loop device is put on, with direct I/O.
func (e *Emulator) Image() string { return e.output.image() }

// PID is the process id of the emulator.
func (e *Emulator) PID() int { return e.process.PID() }

// Done is closed when the process has ended, whoever ended it.
func (e *Emulator) Done() <-chan struct{} { return e.process.Done() }

// Err is why the process ended; nil while it runs, and after Stop.
func (e *Emulator) Err() error {
	select {
	case <-e.Done():
	default:
		return nil
	}
	status, err := e.process.Wait()
	switch said := e.output.last(); {
	case err != nil:
		return err
	case status.Code == 0:
		return nil
	case said != "":
		return e.output.err()
	case status.Signal != nil:
		return fmt.Errorf("the emulator (process %d) was ended by a signal: %v", e.PID(), status.Signal)
	default:
		return fmt.Errorf("the emulator (process %d) ended with exit code %d", e.PID(), status.Code)
	}
}

// endLimit is how long a guard may take to see that its emulator has ended.
const endLimit = 30 * time.Second

// Ended is why the process ended by itself or was killed, nil while it answers. The file
// that it served fails before its guard sees its end, so Ended asks it, and waits for the
// guard where no answer comes.
func (e *Emulator) Ended(ctx context.Context) error {
	if _, err := e.Reading(ctx); err == nil || errors.Is(err, context.DeadlineExceeded) {
		return nil // it is there, if only hung
	}
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	select {
	case <-e.Done():
	case <-ctx.Done():
		return nil
	}
	if err := e.Err(); err != nil {
		return err
	}
	return fmt.Errorf("its process %d was stopped", e.PID())
}

// Reading is what it has done since it was started. It is cheap enough for once a
// second: some 100 µs.
func (e *Emulator) Reading(ctx context.Context) (Reading, error) {
	a, err := e.ask(ctx, order{Do: doRead})
	if err == nil && a.Reading == nil {
		err = errors.New("cannot read the emulator: it answered without a reading")
	}
	if err != nil {
		return Reading{}, err
	}
	return a.Reading.reading(), nil
}

// Refill fills the buckets of the device's limits, as a device that rested.
func (e *Emulator) Refill(ctx context.Context) error { return e.tell(ctx, order{Do: doRefill}) }

// SetDevice makes it act as d from now on, with full buckets: a pass-through while
// a dataset is loaded, the model afterwards. What is in flight keeps its time.
func (e *Emulator) SetDevice(ctx context.Context, d device.Device) error {
	if err := e.tell(ctx, order{Do: doDevice, Device: &d}); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.device = d
	return nil
}

// acting is what it acts as.
func (e *Emulator) acting() device.Device {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.device
}

// Calibrate takes what the path itself costs off each delay from now on. Fit finds
// that out.
func (e *Emulator) Calibrate(ctx context.Context, p Path) error {
	return e.tell(ctx, order{Do: doCalibrate, Path: &p})
}

// PowerCut fails all I/O from now on, what is in flight included. What a device
// with a write cache had not flushed is gone.
func (e *Emulator) PowerCut(ctx context.Context) error { return e.tell(ctx, order{Do: doPowerCut}) }

// PowerOn serves again what was durable at the power cut.
func (e *Emulator) PowerOn(ctx context.Context) error { return e.tell(ctx, order{Do: doPowerOn}) }

// Stop ends the process and takes away what it has mounted. What a write cache holds is
// written to the backing file first. It may be called more than once.
func (e *Emulator) Stop(ctx context.Context) error {
	e.stop.Do(func() {
		err := e.process.Stop()
		e.stopped = errors.Join(err, End(ctx, e.config.Place()))
	})
	return e.stopped
}

func (e *Emulator) tell(ctx context.Context, o order) error {
	_, err := e.ask(ctx, o)
	return err
}

func (e *Emulator) ask(ctx context.Context, o order) (answer, error) {
	a, err := ask(ctx, e.config.Socket, o)
	if err == nil {
		return a, nil
	}
	if ended := e.Err(); ended != nil {
		return a, ended
	}
	return a, hint.Wrap(fmt.Errorf("cannot ask the emulator to %s: %w", o.Do, err), hint.Of(err))
}
