package prediction

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/prediction/demand"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// Cache names memory that holds blocks of the dataset.
type Cache string

// The caches whose size may be asked for.
const (
	Memory        Cache = "memory"         // of the server's control group, page cache and shared_buffers included
	SharedBuffers Cache = "shared_buffers" // PostgreSQL's
)

// Miss holds the reads of a transaction with a cache of a size, as measured in an environment.
type Miss struct {
	Environment string
	Bytes       int64
	Reads       float64
}

// Learn reads from a record how often reads miss caches of other sizes.
func (r *Reference) Learn(rec *record.Record) {
	r.curves = map[Cache][]Miss{Memory: r.misses(rec, Memory), SharedBuffers: r.misses(rec, SharedBuffers)}
}

// misses returns how many reads a transaction needs by the size of a cache, from the environments of a record that
// differ from the reference in nothing else; by ascending size.
func (r *Reference) misses(rec *record.Record, cache Cache) (all []Miss) {
	own, has := rec.Environments[r.Environment]
	if !has {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(rec.Environments)) {
		env := rec.Environments[name]
		bytes, known := cache.of(env)
		if !known || !alike(cache.without(own), cache.without(env)) {
			continue
		}
		c, err := demand.Of(rec, name, r.Cell.Cell)
		if err == nil && reflect.DeepEqual(c.System.Data, r.System.Data) && reflect.DeepEqual(c.System.WAL, r.System.WAL) {
			all = append(all, Miss{name, bytes, c.System.Reads})
		}
	}
	slices.SortStableFunc(all, func(a, b Miss) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return all
}

// of returns the size of the cache in an environment.
func (c Cache) of(e record.Environment) (bytes int64, known bool) {
	if c == Memory {
		if e.Limits == nil || e.Limits.Memory == 0 {
			return 0, false
		}
		return e.Limits.Memory, true
	}
	bytes, err := BufferSize(e.Settings[string(SharedBuffers)])
	return bytes, err == nil && bytes > 0
}

// BufferSize reads a size of shared_buffers in bytes. PostgreSQL's kB, MB, GB and TB are powers of 1024.
func BufferSize(text string) (int64, error) {
	size, err := unit.ParseSize(strings.NewReplacer("kB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB").Replace(text))
	return int64(size), err
}

// without returns an environment as if its cache had no size.
func (c Cache) without(e record.Environment) record.Environment {
	if c == SharedBuffers {
		e.Declared = maps.Clone(e.Declared)
		delete(e.Declared, string(SharedBuffers))
		return e
	}
	if e.Limits != nil {
		limits := *e.Limits
		limits.Memory = 0
		e.Limits = &limits
	}
	return e
}

// resolve finds the reads of a transaction with the caches and clients that are asked for. Those with other caches are
// read from a curve, and not beyond its ends.
func (r *Reference) resolve(q Question) (Question, error) {
	if q.Memory > 0 && q.SharedBuffers > 0 {
		return q, hint.Errorf("ask for one of them", "cannot predict a change of both memory and shared_buffers: each curve of cache misses covers only one of them")
	}
	if r.System.Loop != nil && (q.Memory > 0 || q.SharedBuffers > 0) {
		return q, hint.Errorf("measure it: add an environment with limits: {memory: SIZE}", "the memory of a server with one thread is not in the model")
	}
	for cache, bytes := range map[Cache]int64{Memory: q.Memory, SharedBuffers: q.SharedBuffers} {
		if bytes <= 0 {
			continue
		}
		var err error
		if q.reads, err = reads(cache, bytes, r.curves[cache]); err != nil {
			return q, err
		}
	}
	return r.crowded(q)
}

// crowded finds the reads of a transaction with other clients, whose backends leave less memory to the caches, or more.
// How much a backend takes is not known exactly: half and twice as much are other ways.
func (r *Reference) crowded(q Question) (Question, error) {
	if r.Accounts == nil || r.System.Reads == 0 || q.Clients == 0 || q.Clients == r.Clients {
		return q, nil
	}
	now := q.reads
	if now == nil {
		now = []float64{r.System.Reads}
	}
	less := float64(q.Clients-r.Clients) * r.Accounts.Backend
	if less >= r.Accounts.Room(now[0]) {
		return q, hint.Errorf("measure with that many clients, or with a larger memory limit", "the backends of %d clients would leave no memory for the caches", q.Clients)
	}
	q.reads = nil
	for _, reads := range now {
		q.reads = append(q.reads, r.Accounts.Reads(reads, less))
	}
	q.reads = append(q.reads, r.Accounts.Reads(now[0], less/2), r.Accounts.Reads(now[0], less*2))
	return q, nil
}

// reads returns the reads of a transaction with a cache of a size, in the ways in which they may be known.
func reads(cache Cache, bytes int64, curve []Miss) ([]float64, error) {
	if len(curve) == 0 {
		return nil, hint.Errorf(fmt.Sprintf("measure environments that differ in %s alone, on both sides of %s", cache, unit.Size(bytes)),
			"how often reads miss another cache is not known: the reference states no size of %s", cache)
	}
	if len(curve) < 2 {
		return nil, hint.Errorf(fmt.Sprintf("measure environments that differ in %s alone, on both sides of %s", cache, unit.Size(bytes)),
			"how often reads miss another cache is not known: %s was measured with one size", cache)
	}
	if first, last := curve[0], curve[len(curve)-1]; bytes < first.Bytes || bytes > last.Bytes {
		return nil, hint.Errorf("measure an environment with that size, or beyond it",
			"how often reads miss a cache of %s is not known: %s was measured from %s to %s", unit.Size(bytes), cache, unit.Size(first.Bytes), unit.Size(last.Bytes))
	}
	i := slices.IndexFunc(curve, func(m Miss) bool { return m.Bytes >= bytes })
	if curve[i].Bytes == bytes {
		return []float64{curve[i].Reads}, nil
	}
	return between(curve[i-1], curve[i], bytes), nil
}

// none is added to the reads of a transaction before their logarithm is taken: it may be of 0.
const none = 1e-3

// between interpolates the reads between two sizes in two ways, whose difference says how little is known: on
// logarithmic scales, and on linear ones.
func between(a, b Miss, bytes int64) []float64 {
	part := math.Log(float64(bytes)/float64(a.Bytes)) / math.Log(float64(b.Bytes)/float64(a.Bytes))
	powers := math.Exp(math.Log(a.Reads+none)*(1-part)+math.Log(b.Reads+none)*part) - none
	part = float64(bytes-a.Bytes) / float64(b.Bytes-a.Bytes)
	return []float64{max(0, powers), a.Reads*(1-part) + b.Reads*part}
}
