package emulator

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
)

// disk is the emulated device: its data, its timing and its counters.
type disk struct {
	clock clock
	store *store

	mu       sync.Mutex // guards the fields below
	seed     uint64
	turn     uint64 // how often it has become a device
	station  *device.Station
	path     Path
	off      bool // the power is cut
	cuts     int  // number of power cuts
	counters Reading
	longest  history
	used     device.Used   // by earlier stations
	changed  time.Duration // when the queue integral was last updated
}

func openDisk(c Config) (*disk, error) {
	if err := checkDevice(c.Device); err != nil {
		return nil, fmt.Errorf("cannot emulate a device: %w", err)
	}
	f, err := os.OpenFile(cmp.Or(c.Open, c.Backing), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open the backing file: %w", err)
	}
	begin := time.Now()
	d := &disk{clock: func() time.Duration { return time.Since(begin) }, store: newStore(f, c.Device.Cached()),
		seed: c.Seed, station: device.NewStation(c.Device, c.Seed)}
	d.counters.Late, d.counters.Priority = newHistogram(), priority()
	return d, nil
}

// arrive sets when r is due. A disk without power answers at once. A FUA write takes the time of
// a write plus a flush: models say nothing about FUA, and a loop device handles it that way, too.
func (d *disk) arrive(r *request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r.cuts = d.cuts
	now := d.clock()
	d.changeQueue(now, +1)
	r.due, r.began = now, now
	if d.off {
		r.errno = syscall.EIO
		return
	}
	took := d.station.Submit(now, r.asked) - now
	if r.forced {
		took += d.station.Submit(now, device.Request{Kind: device.Flush}) - now
	}
	path := d.path.Write // a flush takes the write path
	if r.asked.Kind == device.Read {
		path = d.path.Read
	}
	r.due, r.began = now+max(0, took-path), now-path
}

// leave counts r, which is about to be answered. Requests that arrived before a power cut fail.
func (d *disk) leave(r *request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock()
	d.changeQueue(now, -1)
	if r.cuts != d.cuts {
		r.errno = syscall.EIO
	}
	if r.errno != 0 {
		d.counters.Errors++
		return
	}
	if r.due > 0 {
		d.counters.Late.add(now - r.due)
	}
	d.longest.add(r.asked.Kind, now-r.began)
	switch r.asked.Kind {
	case device.Read:
		d.counters.Reads++
		d.counters.ReadBytes += r.asked.Size
	case device.Write:
		d.counters.Writes++
		d.counters.WriteBytes += r.asked.Size
		if r.forced {
			d.counters.Flushes++
		}
	default:
		d.counters.Flushes++
	}
}

func (d *disk) changeQueue(now time.Duration, by int) {
	d.counters.Queue += float64(d.counters.InFlight) * (now - d.changed).Seconds()
	d.counters.InFlight += by
	d.changed = now
}

// fail sets an error on r: the backing file is full or broken.
func (d *disk) fail(r *request, err error) {
	r.errno = syscall.EIO
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.counters.FirstError == "" {
		d.counters.FirstError = err.Error()
	}
}

func (d *disk) reading() Reading {
	var usage unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &usage) // cannot fail
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock()
	d.changeQueue(now, 0)
	r := d.counters
	r.Late = d.counters.Late.copied()
	r.Number, r.Longest = d.longest.read()
	r.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	balances := d.station.Balances(now)
	r.IOPSBalance, r.ThroughputBalance = balances.IOPS, balances.Throughput
	used := d.station.Used()
	r.UsedOperations, r.UsedBytes = d.used.Operations+used.Operations, d.used.Bytes+used.Bytes
	return r
}

func (d *disk) refill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.station.Refill()
}

// become makes the disk another device, or the same one anew, as before each run. Its random latencies are
// others than before: if all runs had the same, they would have the same error, which no interval
// would show.
func (d *disk) become(to device.Device) error {
	if err := checkDevice(to); err != nil {
		return err
	}
	if err := d.store.setCaching(to.Cached()); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	used := d.station.Used()
	d.used.Operations += used.Operations
	d.used.Bytes += used.Bytes
	d.turn++
	d.station = device.NewStation(to, d.seed+d.turn<<32)
	return nil
}

func (d *disk) calibrate(p Path) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.path = p
}

// power cuts the power and drops unflushed data, or restores the power.
func (d *disk) power(on bool) {
	d.mu.Lock()
	if !on && !d.off {
		d.cuts++
	}
	d.off = !on
	d.mu.Unlock()
	d.store.power(on)
}

// clock returns the time since the emulator started, from CLOCK_MONOTONIC, which Go reads without
// a system call. Tests substitute their own.
type clock func() time.Duration
