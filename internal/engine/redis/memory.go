package redis

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// The overhead of a key, in bytes: measured with Redis 7.0 and jemalloc, as reported by
// used_memory.
const (
	entryBytes  = 24 // dictEntry
	objectBytes = 16 // robj of the value
	slotBytes   = 16 // of the hash table, whose size is a power of two: 8 to 16, more while it grows
	headerBytes = 9  // of a value's string and its NUL; 17 above 4 GiB
	listBytes   = 11 // of an element of a list, at most: its length, before it and after it

	serverBytes = 8 * int64(unit.MiB) // of an empty server
)

// allocated returns how many bytes an allocator uses for n: jemalloc's size classes, of which
// there are four in each doubling above 64, and every 8 below. glibc's malloc uses a little less
// for large ones.
// https://jemalloc.net/jemalloc.3.html#size_classes
func allocated(n int64) int64 {
	class := int64(8)
	if n > 64 {
		class = 1 << (bits.Len64(uint64(n-1)) - 3)
	}
	return (n + class - 1) / class * class
}

// keyMemory returns the bytes of memory of a string key, whose name and value have the given
// bytes.
func keyMemory(name, size int64) int64 {
	return entryBytes + slotBytes + objectBytes + allocated(name+4) + allocated(size+headerBytes)
}

// nameBytes is the approximate length of a key's name.
const nameBytes = 16

// written returns how many keys the load writes or reads, and their size.
func written(e *experiment.Experiment) (keys, size int64) {
	for _, w := range e.Workloads {
		for _, s := range w.Scripts {
			if s.UsesKeys() {
				return e.Keyspace, int64(e.Payload)
			}
		}
	}
	return 0, 0
}

// pushed returns how many elements the load adds to its list at least. Nothing trims the list before a reload. A closed loop
// of a given duration adds as many as the server can take, which is not known: it counts as none.
func pushed(e *experiment.Experiment) int64 {
	each := map[string]float64{} // by a request, by workload
	for _, w := range e.Workloads {
		var elements, weights float64
		for _, s := range w.Scripts {
			weights += float64(s.Weight)
			switch s.Builtin {
			case "lpush", "rpush":
				elements += float64(s.Weight)
			case "lpop", "rpop":
				elements -= float64(s.Weight)
			}
		}
		each[w.Name] = elements / max(1, weights)
	}
	var most, all float64
	for _, c := range e.Cells() {
		requests := float64(e.Transactions)
		if requests == 0 {
			requests = c.Rate * (e.Duration.Std() + e.Warmup.Std()).Seconds()
		}
		most, all = max(most, requests*each[c.Workload]), all+requests*each[c.Workload]
	}
	if e.Reset != resetReload {
		most = max(most, all*float64(e.Repeats))
	}
	return int64(most)
}

// liveMemory estimates what a server holds in memory: the dataset, the keys of the load, and its list.
func liveMemory(e *experiment.Experiment, env experiment.Environment) int64 {
	keys, size := written(e)
	data := e.KeysOf(env)
	list := pushed(e) * (int64(e.Payload) + listBytes)
	return data.Keys*keyMemory(nameBytes, int64(data.Size)) + keys*keyMemory(nameBytes, size) + list
}

// clientMemory returns the memory for the connections of the load: each has a request and a reply
// in flight.
func clientMemory(e *experiment.Experiment) int64 {
	return int64(e.Connections()) * (2*int64(e.Payload)*int64(max(1, e.Pipeline)) + 64*int64(unit.KiB))
}

// fits returns an error if needed bytes do not fit into memory, with the arithmetic: the
// experiment has the number and size of keys, and they need more.
func fits(e *experiment.Experiment, env experiment.Environment, needed, memory int64, whose string) error {
	if memory <= 0 || needed <= memory {
		return nil
	}
	keys := e.KeysOf(env)
	what := fmt.Sprintf("%d keys of %s", keys.Keys, decimal(int64(keys.Size)))
	total := keys.Keys * int64(keys.Size)
	if loads, size := written(e); loads*size > total {
		what, total = fmt.Sprintf("%d keys of %s that the load writes", loads, decimal(size)), loads*size
	}
	advice := "lower dataset.keys, dataset.size, keyspace or payload"
	if n, size := pushed(e), int64(e.Payload); n*size > total {
		what, total = fmt.Sprintf("%d elements of %s that the load adds to a list", n, decimal(size)), n*size
		advice = "lower payload, repeats or the number of requests, or set reset: reload"
	}
	return hint.Errorf(advice,
		"%s add up to %s, and take %s of memory including the server's overhead: %s %s", what, decimal(total), decimal(needed), whose, decimal(memory))
}

// decimal formats a number of bytes as an experiment writes sizes and vendors sell memory: "180
// kB", "67.6 GB".
func decimal(bytes int64) string {
	value, unit := float64(bytes), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB", "PB"} {
		if value < 1000 {
			break
		}
		value, unit = value/1000, next
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0") + " " + unit
}
