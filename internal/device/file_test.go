package device

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

const exampleFile = `# What plinth probe writes.
name: db7-nvme
read: {median: 82us, p99: 0.21ms}
write: {median: 26us}
flush: {median: 1.5ms, p99: 5ms}
write_cache: true
iops: {rate: 45000}
throughput: {rate: 125MiB/s, burst_rate: 250MiB/s, burst: 7500MiB}
operation_size: 256KiB
queue_depth: 64
durability: "a power cut: nothing else"
source: measured
measured: 2026-11-21 on db7
`

func TestReadFile(t *testing.T) {
	got, err := ReadFile([]byte(exampleFile))
	if err != nil {
		t.Fatal(err)
	}
	want := Device{
		Name: "db7-nvme", Read: Latency{micros(82), micros(210)}, Write: Latency{micros(26), 0},
		Flush: Latency{micros(1500), micros(5000)}, WriteCache: true, IOPS: Limit{Rate: 45000},
		Throughput:    FlowLimit{mebibytes(125), mebibytes(250), 7500 * unit.MiB},
		OperationSize: 256 * unit.KiB, QueueDepth: 64,
		Durability: "a power cut: nothing else", Source: "measured", Measured: "2026-11-21 on db7",
	}
	if got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestYAML(t *testing.T) {
	d, err := RAID(10, 8, 64*unit.KiB, gp3().Device)
	if err != nil {
		t.Fatal(err)
	}
	want := `name: raid10 of 8 x gp3
durability: 'loss of a member; each member: loss of a server of the zone; not of the zone'
array:
  level: 10
  members: 8
  chunk: 64KiB
  of:
    name: gp3
    read: {median: 1ms, p99: 1.6ms}
    write: {median: 1.8ms, p99: 3.1ms}
    iops: {rate: 3000}
    throughput: {rate: 125MiB/s}
    operation_size: 256KiB
    durability: loss of a server of the zone; not of the zone
    source: plinth's catalog
`
	if got := string(d.YAML()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestReadFileRefuses: what is wrong, on which line, and what to do.
func TestReadFileRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                          "the model file is empty | start from the output of plinth devices gp3 --yaml",
		"name: [":                                   "not YAML: line 1: did not find expected node content",
		"gp3":                                       `line 1: expected keys and values in the device, found "gp3"`,
		"name: x\n---\nname: y":                     "the model file has more than one YAML document",
		"name: x\nthroughputs: {rate: 1B/s}":        `line 2: unknown key "throughputs" in the device | did you mean throughput?`,
		"name: x\nread: {mean: 1ms}":                `line 2: unknown key "mean" in read | did you mean median?`,
		"name: x\nread: {zzz: 1ms}":                 `line 2: unknown key "zzz" in read | known here: median, p99`,
		"name: x\nname: y":                          "line 2: duplicate key name in the device (first on line 1)",
		"name: x\nread: 1ms":                        `line 2: expected keys and values in read, found "1ms"`,
		"name: x\nread: {median: 1}":                `line 2: read.median: "1" has no unit: write 1s or 1ms`,
		"name: x\nthroughput: {rate: 125}":          `line 2: throughput.rate: "125" has no unit: write 125MiB/s`,
		"name: x\niops: {rate: many}":               `line 2: iops.rate: expected a number, found "many"`,
		"name: x\niops: {rate: .inf}":               `line 2: iops.rate: expected a number, found ".inf"`,
		"name: x\niops: {rate: 1e400}":              `line 2: iops.rate: expected a number, found "1e400"`,
		"name: x\nqueue_depth: 1.5":                 `line 2: queue_depth: expected a whole number, found "1.5"`,
		"name: x\nqueue_depth: 9999999999":          `line 2: queue_depth: expected a whole number, found "9999999999"`,
		"name: x\nwrite_cache: yes":                 `line 2: write_cache: expected true or false, found "yes"`,
		"name: x\ndurability:":                      "line 2: durability: expected a value, found nothing",
		"name: x\ndurability: [a]":                  "line 2: durability: expected a value, found a list",
		"name: &a x\ndurability: *a":                "line 2: durability: expected a value, found an alias, which model files do not allow",
		"read: {median: 1ms}":                       "name is missing: give the device a short name",
		"name: x\nread:\n  median: 2ms\n  p99: 1ms": "line 4: read.p99 of 1ms is below the median of 2ms",
		"name: x\n\nflush: {median: 1ms}":           "line 3: flush is set without write_cache: there is no cache to flush | set write_cache: true, or leave flush out",
		"name: x\niops: {burst: 5}":                 "line 2: iops.rate is missing: nothing would refill the burst",
		"name: x\narray:\n  level: 5\n  members: 2\n  of: {name: y}":                     "line 3: array.level is 5: it can be 0, 1 or 10",
		"name: x\narray:\n  level: 1\n  members: 2\n  of:\n    name: y\n    replicas: 1": "line 5: array.of.round_trip is missing: replicas need a round trip",
		strings.Repeat("#", 70000): "the model file is larger than 65536 bytes",
	} {
		_, err := ReadFile([]byte(text))
		if err == nil {
			t.Errorf("%q was read", text)
			continue
		}
		got := err.Error()
		if h := hint.Of(err); h != "" {
			got += " | " + h
		}
		if got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// TestFileReadsBack: what YAML writes, ReadFile reads.
func TestFileReadsBack(t *testing.T) {
	for _, e := range Catalog() {
		readsBack(t, e.Device)
	}
	readsBack(t, Device{Name: "x", Durability: "\t\n"})
	rapid.Check(t, func(t *rapid.T) {
		d := drawDevice(t)
		d.Durability = rapid.String().Draw(t, "durability")
		d.Disk = Disk{Model: rapid.StringN(0, -1, mostText).Draw(t, "model"), Size: unit.Size(rapid.Int64Range(0, 1<<50).Draw(t, "size"))}
		d.Name += rapid.StringMatching(`[a-z0-9:#'" -]{0,20}`).Draw(t, "name")
		readsBack(t, d)
	})
}

func readsBack(t interface {
	Helper()
	Fatalf(string, ...any)
}, d Device) {
	t.Helper()
	back, err := ReadFile(d.YAML())
	if err != nil {
		t.Fatalf("%v\n%s", err, d.YAML())
	}
	if !reflect.DeepEqual(wholeBytes(back), wholeBytes(d)) {
		t.Fatalf("%+v\nis written as\n%s\nand read as %+v", d, d.YAML(), back)
	}
}

// wholeBytes is d without fractions of a byte a second, which no file has.
func wholeBytes(d Device) Device {
	d.Throughput.Rate, d.Throughput.BurstRate = unit.Rate(int64(d.Throughput.Rate)), unit.Rate(int64(d.Throughput.BurstRate))
	return d
}

func FuzzReadFile(f *testing.F) {
	f.Add([]byte(exampleFile))
	for _, e := range Catalog() {
		f.Add(e.Device.YAML())
	}
	f.Add([]byte("name: x\narray: {level: 10, members: 8, chunk: 64KiB, of: {name: y}}"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ReadFile(data)
		if err != nil {
			return
		}
		if err := d.Check(); err != nil {
			t.Fatalf("read, but %v", err)
		}
		readsBack(t, d)
		s := NewStation(d, 1)
		for _, r := range []Request{{Write, 4096, 1 << 20}, {Kind: Flush}, {Read, 0, 8192}} {
			if done := s.Submit(1, r); done < 1 {
				t.Fatalf("%v is done at %s", r, done)
			}
		}
		Ideal(d)
	})
}
