package hlog

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/record"
	"plinth/internal/record/recordtest"
)

const head = recordtest.HistogramHead

var second = recordtest.HistogramSecond

// The decoder sees what the library's sees.
func TestDecodeIsTheLibrarys(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var latencies []int64
		for range random.IntN(2000) {
			latencies = append(latencies, random.Int64N(int64(1)<<random.IntN(42)))
		}
		line := second(t, "", 0, latencies...)
		text := line[strings.LastIndexByte(line, ',')+1 : len(line)-1]
		want, err := hdrhistogram.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := record.NewHistogram()
		var d Decoder
		if err := d.Decode([]byte(text), func(index int, n int64) { _ = got.RecordValues(lowest(index), n) }); err != nil {
			t.Fatal(err)
		}
		if !got.Equals(want) {
			t.Fatalf("%d latencies: the histograms differ", len(latencies))
		}
	}
}

// lowest returns the smallest latency that a counter counts.
func lowest(index int) int64 {
	shift := max(index>>10-1, 0)
	return int64(index-shift<<10) << shift
}

// readAll reads a log and all its histograms, and returns the number of latencies.
func readAll(log string) (n int64, err error) {
	intervals, err := Read([]byte(log))
	var d Decoder
	for _, one := range intervals {
		if err == nil {
			err = d.Decode(one.Text, func(_ int, count int64) { n += count })
		}
	}
	return n, err
}

func TestDamageIsRefused(t *testing.T) {
	good := second(t, "", 0, 100_000, 7_000_000)
	for name, line := range map[string]string{
		"no fields":            "what\n",
		"no number":            strings.Replace(good, "0.000000", "zero", 1),
		"an endless time":      strings.Replace(good, "0.000000", "1e99", 1),
		"no length":            strings.Replace(good, "1.000000", "one", 1),
		"a negative length":    strings.Replace(good, "1.000000", "-1", 1),
		"not base64":           strings.Replace(good, "HIST", "H!ST", 1),
		"another version":      strings.Replace(good, "HIST", "HISU", 1),
		"cut in the middle":    good[:len(good)-20] + "\n",
		"another geometry":     geometry(t),
		"too many counters":    handmade(t, 0, -Counters, 1),
		"far too many zeros":   handmade(t, 0, -Counters-1),
		"a huge counter":       handmade(t, 0, mostCounted+1),
		"incomplete histogram": handmade(t, 1, 5),
		"it never ends":        handmade(t, 0, make([]int64, 400_000)...),
	} {
		if n, err := readAll(head + line); err == nil {
			t.Errorf("%s: %d latencies", name, n)
		}
	}
}

// handmade is a histogram of these counters, whose header says that it has some bytes
// more than there are.
func handmade(t *testing.T, more int, counts ...int64) string {
	t.Helper()
	var payload []byte
	for _, n := range counts {
		payload = binary.AppendVarint(payload, n)
	}
	raw := binary.BigEndian.AppendUint32(nil, cookieV2|0x10)
	raw = binary.BigEndian.AppendUint32(raw, uint32(len(payload)+more))
	raw = binary.BigEndian.AppendUint32(raw, 0)
	raw = binary.BigEndian.AppendUint32(raw, 3)
	raw = binary.BigEndian.AppendUint64(raw, 1)
	raw = binary.BigEndian.AppendUint64(raw, uint64(record.LongestLatency))
	raw = binary.BigEndian.AppendUint64(raw, math.Float64bits(1))
	packed := bytes.NewBuffer(binary.BigEndian.AppendUint32(nil, cookieV2Compressed|0x10))
	packed.Write([]byte{0, 0, 0, 0})
	w := zlib.NewWriter(packed)
	_, err := w.Write(append(raw, payload...))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return "0.0,1.0,1.0," + base64.StdEncoding.EncodeToString(packed.Bytes()) + "\n"
}

func TestIntervals(t *testing.T) {
	got, err := Read([]byte(head + second(t, "a", 0, 5) + second(t, "", 1.5, 5) + "Tag=cut,2.0"))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d intervals, %v", len(got), err)
	}
	for i, want := range []Interval{{Tag: "a", Start: 0, Length: 1}, {Start: 1.5, Length: 1}} {
		if one := got[i]; one.Tag != want.Tag || one.Start != want.Start || one.Length != want.Length || len(one.Text) == 0 {
			t.Errorf("interval %d is %+v", i, one)
		}
	}
}

// What is made by hand is a histogram when it is right.
func TestHandmade(t *testing.T) {
	if n, err := readAll(handmade(t, 0, -2000, 3)); n != 3 || err != nil {
		t.Errorf("%d latencies, %v", n, err)
	}
}

// A small log may inflate to no end: there is a limit to all of it.
func TestDecoderHasALimit(t *testing.T) {
	line := second(t, "", 0, 1_000)
	text := []byte(line[strings.LastIndexByte(line, ',')+1 : len(line)-1])
	for inflated, want := range map[int]bool{0: true, mostInflated - headerV2: false} {
		d := Decoder{inflated: inflated}
		if err := d.Decode(text, func(int, int64) {}); (err == nil) != want {
			t.Errorf("after %d bytes: %v", inflated, err)
		}
	}
}

// geometry is a log of microseconds with two digits, as other programs write.
func geometry(t *testing.T) string {
	t.Helper()
	h := hdrhistogram.New(1, 1_000_000, 2)
	_ = h.RecordValue(5)
	text, err := record.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return "0.0,1.0,1.0," + text + "\n"
}

// FuzzDecode reads a histogram's uncompressed form: what zlib lets through.
func FuzzDecode(f *testing.F) {
	line := second(f, "", 0, 1_000, 2_000_000)
	f.Add([]byte(line[strings.LastIndexByte(line, ',')+1 : len(line)-1]))
	f.Fuzz(func(t *testing.T, text []byte) {
		var d Decoder
		_ = d.Decode(text, func(index int, n int64) {
			if index < 0 || index >= Counters || n <= 0 {
				t.Errorf("counter %d has %d", index, n)
			}
		})
	})
}
