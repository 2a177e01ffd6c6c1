package perf

import (
	"encoding/binary"
	"fmt"
)

// Times are how long a group of events was to be counted, and how long it was, in nanoseconds.
type Times struct{ Enabled, Running uint64 }

// header is the size of the fields before the values, in bytes.
const header = 3 * 8

// Decode decodes what read(2) returns for a group of events on one CPU into values, in the order in
// which the events were opened. The group was opened with the read_format PERF_FORMAT_GROUP |
// PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING (perf_event_open(2)):
//
//	struct read_format {
//		u64 nr;            /* The number of events */
//		u64 time_enabled;
//		u64 time_running;
//		struct { u64 value; } values[nr];
//	};
//
// Any other number of events is an error.
func Decode(data []byte, values []uint64) (Times, error) {
	return decode(binary.NativeEndian, data, values)
}

func decode(order binary.ByteOrder, data []byte, values []uint64) (Times, error) {
	if want := header + 8*len(values); len(data) != want {
		return Times{}, fmt.Errorf("the kernel returned %d bytes for a group of %d events instead of %d", len(data), len(values), want)
	}
	if n := order.Uint64(data); n != uint64(len(values)) {
		return Times{}, fmt.Errorf("the kernel counted %d events of a group of %d", n, len(values))
	}
	for i := range values {
		values[i] = order.Uint64(data[header+8*i:])
	}
	return Times{order.Uint64(data[8:]), order.Uint64(data[16:])}, nil
}
