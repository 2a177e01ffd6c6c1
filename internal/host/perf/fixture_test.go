package perf

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/read_format.txt
var readFormat string

// fixture is a reading with the numbers that it holds.
type fixture struct {
	name    string
	numbers []uint64 // enabled, running, values
	data    []byte
}

func fixtures(t testing.TB) (all []fixture) {
	t.Helper()
	for part := range strings.SplitSeq(strings.TrimSpace(readFormat), "\n\n") {
		if strings.HasPrefix(part, "#") {
			continue
		}
		lines := strings.SplitN(part, "\n", 3)
		f := fixture{name: lines[0]}
		for word := range strings.FieldsSeq(lines[1]) {
			n, err := strconv.ParseUint(word, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			f.numbers = append(f.numbers, n)
		}
		data, err := hex.DecodeString(strings.Join(strings.Fields(lines[2]), ""))
		if err != nil {
			t.Fatal(err)
		}
		f.data = data
		all = append(all, f)
	}
	return all
}

func TestDecodeFixtures(t *testing.T) {
	all := fixtures(t)
	if len(all) != 5 {
		t.Errorf("%d fixtures", len(all))
	}
	for _, f := range all {
		values := make([]uint64, len(f.numbers)-2)
		times, err := decode(binary.LittleEndian, f.data, values)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if got := append([]uint64{times.Enabled, times.Running}, values...); !slices.Equal(got, f.numbers) {
			t.Errorf("%s: %v, want %v", f.name, got, f.numbers)
		}
	}
}

func TestDecodeRejects(t *testing.T) {
	good := encode(2, Times{5, 4}, 7, 8)
	for what, test := range map[string]struct {
		data   []byte
		values int
		want   string
	}{
		"nothing":           {nil, 2, "the kernel returned 0 bytes for a group of 2 events instead of 40"},
		"half a field":      {good[:36], 2, "the kernel returned 36 bytes for a group of 2 events instead of 40"},
		"a field more":      {append(slices.Clone(good), make([]byte, 8)...), 2, "the kernel returned 48 bytes for a group of 2 events instead of 40"},
		"another group":     {encode(1, Times{5, 4}, 7, 8), 2, "the kernel counted 1 events of a group of 2"},
		"no group at all":   {encode(0, Times{5, 4}), 1, "the kernel returned 24 bytes for a group of 1 events instead of 32"},
		"a format with IDs": {encode(2, Times{5, 4}, 7, 1, 8, 2), 2, "the kernel returned 56 bytes for a group of 2 events instead of 40"},
	} {
		if _, err := Decode(test.data, make([]uint64, test.values)); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", what, err, test.want)
		}
	}
	if times, err := Decode(encode(0, Times{5, 4}), nil); err != nil || times != (Times{5, 4}) {
		t.Errorf("a group without events: %v, %v", times, err)
	}
}

// encode returns what read(2) returns on this machine.
func encode(n uint64, times Times, values ...uint64) (data []byte) {
	for _, v := range append([]uint64{n, times.Enabled, times.Running}, values...) {
		data = binary.NativeEndian.AppendUint64(data, v)
	}
	return data
}

// FuzzDecode checks that any bytes are an error, or are decoded to numbers that encode to them.
func FuzzDecode(f *testing.F) {
	for _, fixture := range fixtures(f) {
		f.Add(fixture.data, uint8(len(fixture.numbers)-2))
	}
	f.Add([]byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		values := make([]uint64, n)
		times, err := Decode(data, values)
		if err == nil && !bytes.Equal(encode(uint64(n), times, values...), data) {
			t.Errorf("%x is decoded to %v and %v", data, times, values)
		}
	})
}
