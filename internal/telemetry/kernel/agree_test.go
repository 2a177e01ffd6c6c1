//go:build linux

package kernel

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// vmstat and iostat read the same kernel beside plinth: over the same seconds their
// totals are within 1 % of plinth's. A machine that is busy with something else, such
// as the tests of other packages, lets tools wait for a CPU at the wrong moment: what
// the whole machine did is then asked for within 10 %, and the disk, which has one
// writer, within 1 % all the same.
func TestAgreesWithVmstatAndIostat(t *testing.T) {
	needTools(t, "vmstat", "iostat", "losetup")
	disk := loopDevice(t)
	w := startWorker(t)
	for _, share := range []float64{0.01, 0.01, 0.1, 0.1, 0.1} {
		wrong := compare(t, disk, w, share)
		if len(wrong) == 0 {
			return
		}
		t.Log(strings.Join(wrong, "\n"))
	}
	t.Error("it was never the same")
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

// loopDevice is a disk that only this test writes to.
func loopDevice(t *testing.T) (name string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(file, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return hosttest.LoopDevice(t, file)
}

const compared = 4 // seconds

// compare compares what the whole machine did within a share, and the disk within 1 %.
func compare(t *testing.T, disk string, w *work, share float64) (wrong []string) {
	lane := Lane(Options{Root: "/", Disks: []string{disk}})
	read := make(bell, 1)
	lane.Sources = append(lane.Sources, read)
	c := telemetry.Start(context.Background(), lane)
	defer c.Stop()
	<-read // all sources, a first time
	iostat := report(t, 4, "iostat", "-d", "-k", disk, fmt.Sprint(compared), "2")
	vmstat := report(t, 3, "vmstat", "-n", fmt.Sprint(compared), "2")
	begin := time.Now()
	c.Align(begin)
	<-read // so that the load is not at the edge of the run, which readings straddle
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
	check := func(what string, ours, theirs, least float64) {
		if !(math.Abs(ours-theirs) <= max(least, 0.01*theirs)) { // NaN is wrong, too
			wrong = append(wrong, fmt.Sprintf("%s: ours is %v, theirs %v", what, ours, theirs))
		}
	}
	// r b swpd free buff cache si so bi bo in cs us sy id wa st
	check("interrupts", sums["stat.intr"], theirs[10]*compared, max(compared, share*theirs[10]*compared))
	check("context switches", sums["stat.ctxt"], theirs[11]*compared, max(compared, share*theirs[11]*compared))
	cpus := 0.0
	for _, mode := range []string{"user", "nice", "system", "irq", "softirq", "idle", "iowait", "steal"} {
		cpus += sums["stat.cpu."+mode]
	}
	point := 1.5 // its per cent are whole
	check("user", 100*(sums["stat.cpu.user"]+sums["stat.cpu.nice"])/cpus, theirs[12], point)
	check("system", 100*(sums["stat.cpu.system"]+sums["stat.cpu.irq"]+sums["stat.cpu.softirq"])/cpus, theirs[13], point)
	check("idle", 100*sums["stat.cpu.idle"]/cpus, theirs[14], point)

	// tps kB_read/s kB_wrtn/s kB_dscd/s kB_read kB_wrtn kB_dscd
	device := iostat()
	check("KiB written to the disk", sums["diskstats."+disk+".write_bytes"]/1024, device[5], 1)
	requests := sums["diskstats."+disk+".reads"] + sums["diskstats."+disk+".writes"] + sums["diskstats."+disk+".discards"]
	check("requests", requests, device[0]*compared, 0.01*compared)
	if device[5] < 3*4096 {
		wrong = append(wrong, fmt.Sprintf("the disk wrote %v KiB: it was not watched over the whole load", device[5]))
	}
	return wrong
}

// bell is a source that tells when it is read.
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

// report runs a tool that prints a report at once, and another later. It returns
// when the first is there, which is so many lines; the function waits for the
// numbers of the last line that follows.
func report(t *testing.T, lines int, name string, args ...string) (last func() []float64) {
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

// floats are the numbers of a line.
func floats(line string) (all []float64) {
	for word := range strings.FieldsSeq(line) {
		if v, err := strconv.ParseFloat(word, 64); err == nil {
			all = append(all, v)
		}
	}
	return all
}
