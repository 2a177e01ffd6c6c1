// Package emulator emulates a disk: a block device whose reads, writes and flushes take the time
// that a model of a device predicts. A database on it runs on a real filesystem, with page cache,
// journal and the kernel's dirty page limits.
//
// The device has two forms, which differ only in where requests come from (type front). Where the
// kernel has nbd, it is a network block device connected to the emulator. Otherwise it is a loop
// device that uses direct I/O on a file in plinth's own FUSE filesystem.
//
// Data is kept in a backing file. A write goes to that file as soon as the request arrives, and
// the reply is delayed until the model's latency has passed. If the backing file is slower than
// the model, the reply is late, and the lateness is recorded.
//
// Guarantees about data:
//
//   - On a device without a write cache, acknowledged data is in the backing file.
//     Killing the emulator loses none of it: it is in the host's page cache. A power cut
//     of the host itself could lose it, because the device never receives a flush.
//   - A device with a write cache keeps writes in memory until a flush, which writes
//     them to the backing file and syncs it: flushed data is as safe as on the backing
//     disk. Killing the emulator loses the rest, like a power cut of the real device.
//
// Limitations: discards take no time, and the path to the emulator costs CPU time, unlike the
// path to a real disk. The latency of the path is measured and subtracted from each delay (Fit).
//
// The emulator is a separate process, so its CPU time is accounted separately. It stays in the
// cgroups of the plinth process that started it. A server with limits has its own cgroups (package
// limit). If the server and the emulator shared a cgroup with a memory limit, they would deadlock
// in write-back: the server's dirty pages would wait for the emulator, which would wait for the
// server's memory. A server without limits shares plinth's cgroups; if those have a memory limit
// (of a container or a service), nothing here prevents the deadlock.
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

// Emulator is a running emulator process.
type Emulator struct {
	config  Config
	process launch.Process
	output  *output
	stop    sync.Once
	stopped error

	mu     sync.Mutex
	device device.Device // the model in effect
}

// selfPath is the running program, even if its file has been replaced.
const selfPath = "/proc/self/exe"

// startLimit is the timeout for starting an emulator. It usually takes about 100 ms, but more than 30 s have been
// seen on a machine with many more processes than CPUs.
const startLimit = 2 * time.Minute

// stopSignal stops an emulator gracefully.
const stopSignal = syscall.SIGTERM

// stopGrace is how long a stopping emulator may take to write its cache.
const stopGrace = 3 * time.Second

// Start starts an emulator. When it returns without an error, the device exists and responds.
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
	if err := e.awaitReady(ctx, startLimit); err != nil {
		return nil, errors.Join(err, e.Stop(context.WithoutCancel(ctx)))
	}
	return e, nil
}

func (e *Emulator) awaitReady(ctx context.Context, limit time.Duration) error {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-e.output.ready:
		return nil
	case <-e.Done():
		return e.Err()
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return hint.Errorf("threads in state D wait for a disk: see whether it is busy or broken (dmesg), and try again",
			"its process %d is not ready after %v; threads: %s", e.PID(), limit, whereThreads(e.PID()))
	}
}

// Image returns the path of what the emulator serves: the block device, such as "/dev/nbd3", or for
// FUSE the file for a loop device with direct I/O.
func (e *Emulator) Image() string { return e.output.image() }

// PID returns the emulator's process ID.
func (e *Emulator) PID() int { return e.process.PID() }

// Done returns a channel that is closed when the process has ended, for whatever reason.
func (e *Emulator) Done() <-chan struct{} { return e.process.Done() }

// Err returns why the process ended; nil while it runs, and after Stop.
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
		return fmt.Errorf("the emulator (process %d) was terminated by a signal: %v", e.PID(), status.Signal)
	default:
		return fmt.Errorf("the emulator (process %d) ended with exit code %d", e.PID(), status.Code)
	}
}

// endLimit is how long a guard may take to notice that its emulator has ended.
const endLimit = 30 * time.Second

// Ended returns why the process failed or was killed, or nil while it answers. The served file
// fails before the guard notices the exit, so Ended queries the emulator and, if no answer comes,
// waits for the guard.
func (e *Emulator) Ended(ctx context.Context) error {
	if _, err := e.Reading(ctx); err == nil || errors.Is(err, context.DeadlineExceeded) {
		return nil // the process is alive, even if hung
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

// Reading returns the emulator's counters since its start. A call takes about 100 µs, which is
// cheap enough for one call a second.
func (e *Emulator) Reading(ctx context.Context) (Reading, error) {
	a, err := e.ask(ctx, order{Do: doRead})
	if err == nil && a.Reading == nil {
		err = errors.New("cannot read the emulator's counters: the answer contains none")
	}
	if err != nil {
		return Reading{}, err
	}
	return a.Reading.reading(), nil
}

// Refill fills the token buckets of the device's limits, as after an idle period.
func (e *Emulator) Refill(ctx context.Context) error { return e.tell(ctx, order{Do: doRefill}) }

// SetDevice switches to the model d, with full buckets: a pass-through while a dataset is loaded,
// the model afterwards. Requests in flight keep their times.
func (e *Emulator) SetDevice(ctx context.Context, d device.Device) error {
	if err := e.tell(ctx, order{Do: doDevice, Device: &d}); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.device = d
	return nil
}

// acting returns the model in effect.
func (e *Emulator) acting() device.Device {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.device
}

// Calibrate subtracts p, the cost of the path, from each delay from now on. Fit determines this
// cost.
func (e *Emulator) Calibrate(ctx context.Context, p Path) error {
	return e.tell(ctx, order{Do: doCalibrate, Path: &p})
}

// PowerCut fails all I/O from now on, including I/O in flight, and drops the unflushed contents of
// a write cache.
func (e *Emulator) PowerCut(ctx context.Context) error { return e.tell(ctx, order{Do: doPowerCut}) }

// PowerOn resumes service with the data that was durable at the power cut.
func (e *Emulator) PowerOn(ctx context.Context) error { return e.tell(ctx, order{Do: doPowerOn}) }

// Stop ends the process and unmounts its filesystem, after writing the contents of the write
// cache to the backing file. It is idempotent.
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
	return a, hint.Wrap(fmt.Errorf("emulator command %q failed: %w", o.Do, err), hint.Of(err))
}
