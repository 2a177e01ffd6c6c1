//go:build linux && measure

package kernel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/measuretest"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// TestMeasureAgreementWithVmstatAndIostat checks that totals over the same seconds match
// those of vmstat and iostat. These read the same kernel files, but wait for a CPU at other
// moments, so only a quiet machine gives the same totals.
func TestMeasureAgreementWithVmstatAndIostat(t *testing.T) {
	needTools(t, "vmstat", "iostat", "losetup")
	disk := loopDevice(t)
	w := startWorker(t)
	// The tools start some milliseconds apart, and starting them is itself activity on an
	// idle machine: the steady activity must be far greater.
	switchAlways(t)
	measuretest.AskTimes(t, 3, "Does plinth agree with vmstat and iostat?", func(m *measuretest.M) { compare(m, disk, w) })
}

// switchAlways makes two threads wake each other until the test ends.
func switchAlways(t *testing.T) {
	t.Helper()
	var there, back [2]int
	if err := errors.Join(unix.Pipe(there[:]), unix.Pipe(back[:])); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var both sync.WaitGroup
	pass := func(from, to int) bool { // passes a byte from one pipe to the other
		one := make([]byte, 1)
		n, err := unix.Read(from, one)
		if n == 1 {
			_, err = unix.Write(to, one)
		}
		return n == 1 && err == nil
	}
	both.Go(func() {
		for pass(there[0], back[1]) {
		}
	})
	both.Go(func() {
		defer unix.Close(there[1]) // ends the other one
		for !stop.Load() && pass(back[0], there[1]) {
		}
	})
	if _, err := unix.Write(there[1], []byte{0}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop.Store(true)
		both.Wait()
		for _, fd := range []int{there[0], back[0], back[1]} {
			_ = unix.Close(fd)
		}
	})
}

func needTools(t *testing.T, names ...string) {
	t.Helper()
	missing := ""
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			missing += " " + name
		}
	}
	if os.Getuid() != 0 {
		missing += " root, for a disk that nobody else writes to"
	}
	if missing == "" {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("needs" + missing)
	}
	t.Skip("needs" + missing)
}

const compared = 4 // seconds

// compare compares the activity of the whole machine and of the disk.
func compare(m *measuretest.M, disk string, w *work) {
	lane := Lane(Options{Root: "/", Disks: []string{disk}})
	read := make(bell, 1)
	lane.Sources = append(lane.Sources, read)
	c := telemetry.Start(context.Background(), lane)
	defer c.Stop()
	<-read // all sources have been read once
	iostat := report(m, 4, "iostat", "-d", "-k", disk, fmt.Sprint(compared), "2")
	vmstat := report(m, 3, "vmstat", "-n", fmt.Sprint(compared), "2")
	begin := time.Now()
	c.Align(begin)
	<-read // keeps the load away from the edge of the run, which readings straddle
	for range 3 {
		w.do("write /dev/%s", disk)
		w.do("burn 200ms")
	}
	theirs := vmstat()
	c.Stop()
	columns, _ := c.Columns(begin.Round(0), []float64{0, 1, 2, 3})
	sums := map[string]float64{}
	for _, column := range columns {
		for _, v := range column.Values {
			sums[column.Name] += v
		}
	}
	// r b swpd free buff cache si so bi bo in cs us sy id wa st
	m.Between("interrupts, relative to vmstat", sums["stat.intr"]/theirs[10]/compared, "", 0.99, 1.01)
	m.Between("context switches, relative to vmstat", sums["stat.ctxt"]/theirs[11]/compared, "", 0.99, 1.01)
	cpus := 0.0
	for _, mode := range []string{"user", "nice", "system", "irq", "softirq", "idle", "iowait", "steal"} {
		cpus += sums["stat.cpu."+mode]
	}
	const point = 1.5 // vmstat prints whole percentages
	m.Between("user time, difference from vmstat", 100*(sums["stat.cpu.user"]+sums["stat.cpu.nice"])/cpus-theirs[12], "%", -point, point)
	m.Between("system time, difference from vmstat", 100*(sums["stat.cpu.system"]+sums["stat.cpu.irq"]+sums["stat.cpu.softirq"])/cpus-theirs[13], "%", -point, point)
	m.Between("idle time, difference from vmstat", 100*sums["stat.cpu.idle"]/cpus-theirs[14], "%", -point, point)

	// tps kB_read/s kB_wrtn/s kB_dscd/s kB_read kB_wrtn kB_dscd
	device := iostat()
	if device[5] < 3*4096 {
		m.Fatalf("iostat saw %v KiB written: it did not watch the whole load", device[5])
	}
	m.Between("bytes written to the disk, relative to iostat", sums["diskstats."+disk+".write_bytes"]/1024/device[5], "", 0.99, 1.01)
	requests := sums["diskstats."+disk+".reads"] + sums["diskstats."+disk+".writes"] + sums["diskstats."+disk+".discards"]
	m.Between("requests, relative to iostat", requests/device[0]/compared, "", 0.99, 1.01)
}

// bell is a source that signals when it is read.
type bell chan struct{}

func (bell) Name() string             { return "bell" }
func (bell) Metrics() []metric.Metric { return nil }
func (bell) Close()                   {}

func (b bell) Read(context.Context, *telemetry.Board) error {
	select {
	case b <- struct{}{}:
	default:
	}
	return nil
}

// report starts a tool that prints one report at once and another later. It returns when
// the first, of that many lines, is complete; last waits for the numbers of the last line
// after it.
func report(t testing.TB, lines int, name string, args ...string) (last func() []float64) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "S_TIME_FORMAT=ISO")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text := bufio.NewScanner(out)
	for range lines {
		if !text.Scan() {
			t.Fatalf("%s said too little", name)
		}
	}
	return func() []float64 {
		var numbers []float64
		for text.Scan() {
			if found := floats(text.Text()); len(found) > 5 {
				numbers = found
			}
		}
		if err := cmd.Wait(); err != nil || len(numbers) == 0 {
			t.Fatalf("%s: %v, and %v", name, err, numbers)
		}
		return numbers
	}
}

// floats returns the numbers of a line.
func floats(line string) (all []float64) {
	for word := range strings.FieldsSeq(line) {
		if v, err := strconv.ParseFloat(word, 64); err == nil {
			all = append(all, v)
		}
	}
	return all
}
