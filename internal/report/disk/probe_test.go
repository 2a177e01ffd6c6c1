package disk

import (
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/driver/fio"
	"plinth/internal/probe"
	"plinth/internal/unit"
)

func TestSustainedWords(t *testing.T) {
	seconds := make([]float64, 300)
	operations := probe.Step{Pattern: fio.RandomWrite, Block: 8 * unit.KiB, Depth: 64}
	bytes := probe.Step{Pattern: fio.Write, Block: 256 * unit.KiB, Depth: 16}
	for want, s := range map[string]probe.Sustained{
		"random write, QD 64, for 300 s: 3,000 a second for 120 s, then 100 a second":     {Step: operations, Seconds: seconds, Cliff: 120, Burst: 3000, Baseline: 100},
		"random write, QD 64, for 300 s: 3,000 a second, and no cliff in that time":       {Step: operations, Seconds: seconds, Burst: 3000, Baseline: 3000},
		"sequential write, 256 KiB, QD 16, for 300 s: 250 MiB/s for 60 s, then 125 MiB/s": {Step: bytes, Seconds: seconds, Cliff: 60, Burst: 1000, Baseline: 500},
	} {
		if got := sustainedWords(s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestMillis(t *testing.T) {
	for d, want := range map[time.Duration]string{
		97 * time.Microsecond: "0.097", 1800 * time.Microsecond: "1.800", 21600 * time.Microsecond: "21.6", 1132 * time.Millisecond: "1,132",
	} {
		if got := millis(unit.Duration(d)); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}

// TestProbeFitsTheScreen checks the width for any figures.
func TestProbeFitsTheScreen(t *testing.T) {
	figure := probe.Figure{Value: 1234567, Low: 1111111, High: 1999999, Level: 0.95}
	r := &probe.Result{Slices: 6, Program: "fio 3.33", Target: probe.Target{Path: "/mnt/" + strings.Repeat("long/", 12), Direct: true}}
	for _, s := range []probe.Step{
		{Pattern: fio.Write, Block: 8 * unit.KiB, Depth: 1, Durable: true}, {Pattern: fio.RandomMixed, Block: 8 * unit.KiB, Depth: 16, Reads: 70},
		{Pattern: fio.Read, Block: 256 * unit.KiB, Depth: 16},
	} {
		r.Steps = append(r.Steps, probe.Measurement{Step: s, IOPS: figure, Rate: figure, P999: unit.Duration(time.Second)})
	}
	r.Local = &probe.Local{Target: &probe.Target{Path: r.Target.Path}, Steps: r.Steps}
	for _, m := range r.Steps {
		r.Local.Ratios = append(r.Local.Ratios, probe.Ratio{Step: m.Name, Figure: probe.Figure{Value: 0.0123, Low: 0.0111, High: 0.0199, Level: 0.95}})
	}
	r.Theory = []probe.Theory{{What: "throughput, writes", Formula: "stripes x throughput", Expected: 1e11, Measured: 1e11, Unit: "B/s", Efficiency: 1}}
	for line := range strings.Lines(Probe(r).Text(80)) {
		if len([]rune(strings.TrimRight(line, "\n"))) > 80 && !strings.Contains(line, "/mnt/") {
			t.Errorf("too wide: %q", line)
		}
	}
}

// TestLocal checks the figures of a local disk beside those of its volume.
func TestLocal(t *testing.T) {
	figure := func(n float64) probe.Figure { return probe.Figure{Value: n, Low: n, High: n} }
	step := func(iops float64, p50 time.Duration) probe.Measurement {
		return probe.Measurement{Step: probe.Step{Name: probe.Read1, Pattern: fio.RandomRead, Block: 8 * unit.KiB, Depth: 1}, IOPS: figure(iops), P50: unit.Duration(p50)}
	}
	r := &probe.Result{Slices: 6, Target: probe.Target{Path: "/mnt/volume"}, Steps: []probe.Measurement{step(4000, 250*time.Microsecond)}}
	if text := Probe(r).Text(80); strings.Contains(text, "local") {
		t.Errorf("without a local disk:\n%s", text)
	}
	r.Local = &probe.Local{Target: &probe.Target{Path: "/mnt/ssd", Filesystem: "ext4", Size: unit.GiB, Direct: true}, Steps: []probe.Measurement{step(9500, 105*time.Microsecond)}}
	beside := Probe(r).Text(80)
	r.Local = &probe.Local{Device: &device.Device{Name: "ssd", Measured: "2026-05-01"}, Comparisons: []probe.Comparison{{Step: probe.Read1, Local: probe.Medians{Value: 0.0001}}}}
	model := Probe(r).Text(80)
	for text, wanted := range map[string][]string{
		beside: {"Beside the local disk\n", "/mnt/ssd: ext4; 1GiB of it, direct I/O; each slice measured both, in random", "random read   1     4,000  9,500      -      -\n", "random read   0.250  0.105 "},
		model:  {"The local disk is that of a model file: ssd, 2026-05-01.", "random read   1     4,000   0.250  0.100\n"},
	} {
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("it lacks %q:\n%s", want, text)
			}
		}
	}
}

// TestBeside checks the ratio of a volume in a cluster to the disk of its node, and what is said of the
// class.
func TestBeside(t *testing.T) {
	step := probe.Step{Name: probe.Read1, Pattern: fio.RandomRead, Block: 8 * unit.KiB, Depth: 1}
	volume := probe.Measurement{Step: step, IOPS: probe.Figure{Value: 4000, Low: 3900, High: 4100, Level: 0.95}, P50: unit.Duration(250 * time.Microsecond)}
	r := &probe.Result{Slices: 6, Target: probe.Target{Path: "/plinth/volume"}, Steps: []probe.Measurement{volume}, Job: "[global]\nsize=1\n"}
	r.Beside = &probe.Local{
		Target: &probe.Target{Path: "/plinth/node"}, Steps: []probe.Measurement{{Step: step, IOPS: probe.Figure{Value: 8000}, P50: unit.Duration(120 * time.Microsecond)}},
		Ratios: []probe.Ratio{{Step: probe.Read1, Figure: probe.Figure{Value: 0.5, Low: 0.045, High: 12.3, Level: 0.95}}},
	}
	if text := Probe(r).Text(80); !strings.Contains(text, "Beside the other disk\n") || strings.Contains(text, "[global]") {
		t.Errorf("of a machine:\n%s", text)
	}
	r.Place(probe.Kubernetes{Cluster: "lab", Version: "v1.33.13", Node: "node1", Class: "slow", Provisioner: "p", Claim: 3 * unit.GiB})
	text := Probe(r).Text(80)
	for _, want := range []string{
		"A volume of 3GiB of the storage class slow (p), in a pod on the node node1 of\nthe cluster lab, Kubernetes v1.33.13.\n", "Beside the node's own disk\n",
		"random read   1     4,000  8,000   0.50    0.045 to 12\n", "With one request at a time:\n", "random read   0.250  0.120   0.000  0.000\n", "The job of fio\n", "[global]\nsize=1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if rest, _, _ := strings.Cut(text, "The job of fio"); strings.Contains(rest, "local") {
		t.Errorf("the node's disk is called local:\n%s", rest)
	}
}

func TestMemoryDocument(t *testing.T) {
	cell := func(cpu, memory int, page unit.Size, ns, huge float64) probe.MemoryCell {
		return probe.MemoryCell{CPU: cpu, Memory: memory, Page: page, Huge: huge, Latency: probe.Figure{Value: ns / 1e9, Low: ns / 1e9, High: ns / 1e9, Level: 0.95}}
	}
	m := &probe.Memory{Nodes: 2, Cells: []probe.MemoryCell{
		cell(0, 0, 4*unit.KiB, 100, 0), cell(0, 0, 2*unit.MiB, 80, 1), cell(0, 1, 4*unit.KiB, 135, 0), cell(0, 1, 2*unit.MiB, 130, 0.5),
	}}
	text := Memory(m).Text(80)
	for _, want := range []string{
		"- node 0 to 0: pages of 2MiB take 20 % less time\n", "- node 0 to 1: 35 % more time than to its own memory\n", "       0            1  4KiB  135.0  135.0 to 135.0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "node 0 to 1: pages") {
		t.Error("pages that could not be had are compared")
	}
}
