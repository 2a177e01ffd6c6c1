package kernel

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

var cpufreqMetrics = from("/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq", "Documentation/admin-guide/pm/cpufreq.rst",
	metric.Metric{Name: "cpufreq.mean", Kind: metric.Gauge, Unit: "MHz",
		Help: "mean frequency of the CPUs, as last measured or requested by the driver"},
	metric.Metric{Name: "cpufreq.lowest", Kind: metric.Gauge, Unit: "MHz",
		Help: "frequency of the slowest CPU; an idle CPU is slow, so a low value alone proves nothing"},
)

// cpufreq is the source of CPU frequencies.
type cpufreq struct {
	cpus  []cpuFrequency
	next  int           // the CPU that the next reading starts with
	limit time.Duration // of one reading
	slots []telemetry.Slot
}

// cpuFrequency reads the frequency of one CPU.
type cpuFrequency struct {
	file file
	kHz  uint64 // 0 while unknown
}

// frequencyLimit bounds one reading of frequencies. Kernels from 4.14 to 5.17 sleep up to
// 10 ms for each idle CPU (arch_freq_get_on_cpu); with many CPUs, each is then read only
// every few seconds.
const frequencyLimit = 50 * time.Millisecond

var errNoFrequency = errors.New("this machine does not report the frequency of its CPUs: its hypervisor or firmware controls it")

func openCpufreq(m *machine) (reader, error) {
	const dir = "sys/devices/system/cpu"
	c := &cpufreq{limit: frequencyLimit}
	for _, cpu := range numbered(filepath.Join(m.Root, dir), "cpu") {
		f := newFile(m.Root, path.Join(dir, "cpu"+strconv.Itoa(cpu), "cpufreq/scaling_cur_freq"))
		if _, err := f.readShort(); err == nil {
			c.cpus = append(c.cpus, cpuFrequency{file: f})
		}
	}
	if len(c.cpus) == 0 {
		return nil, errNoFrequency
	}
	return c, nil
}

func (c *cpufreq) close() {
	for i := range c.cpus {
		c.cpus[i].file.close()
	}
}

func (c *cpufreq) readTo(b *telemetry.Board) error {
	begin := time.Now()
	var failed error
	for range c.cpus {
		if err := c.cpus[c.next].read(); err != nil {
			failed = err
		}
		c.next = (c.next + 1) % len(c.cpus)
		if time.Since(begin) > c.limit {
			break
		}
	}
	mean, lowest, known := c.sum()
	if !known {
		return failed
	}
	if c.slots == nil {
		c.slots = []telemetry.Slot{b.Column(cpufreqMetrics[0]), b.Column(cpufreqMetrics[1])}
	}
	b.Put(c.slots[0], mean/1000)
	b.Put(c.slots[1], float64(lowest)/1000)
	return nil
}

// sum returns the mean and the lowest of the known frequencies, in kHz.
func (c *cpufreq) sum() (mean float64, lowest uint64, known bool) {
	sum, n := uint64(0), 0
	for i := range c.cpus {
		kHz := c.cpus[i].kHz
		if kHz == 0 {
			continue
		}
		if sum += kHz; lowest == 0 || kHz < lowest {
			lowest = kHz
		}
		n++
	}
	return float64(sum) / float64(max(1, n)), lowest, n > 0
}

// read updates the frequency, and clears it for a CPU that is offline or reports none.
func (c *cpuFrequency) read() error {
	c.kHz = 0
	text, err := c.file.readShort()
	if err != nil {
		return err
	}
	line, _ := proc.CutLine(text)
	kHz, ok := proc.Number(line)
	if !ok || kHz > mostKHz {
		return fmt.Errorf("%s is %.20q", c.file.path, line)
	}
	c.kHz = kHz
	return nil
}

// mostKHz is higher than any CPU's frequency: greater values are rejected.
const mostKHz = 1e8
