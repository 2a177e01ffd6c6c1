package prediction

import (
	"math"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
	"plinth/internal/record"
)

// TestResized checks how many reads are assumed between two sizes, and that none are beyond the ends.
func TestResized(t *testing.T) {
	curve := []Miss{{"small", 100 << 20, 4}, {"middle", 400 << 20, 1}, {"large", 1600 << 20, 0}}
	for size, want := range map[int64][]float64{
		100 << 20: {4}, 1600 << 20: {0}, 400 << 20: {1},
		200 << 20: {2, 3}, // half of the way in doublings; a third in bytes
	} {
		r := Reference{curves: map[Cache][]Miss{Memory: curve}}
		q, err := r.resolve(Question{Memory: size})
		if err != nil || len(q.reads) != len(want) {
			t.Fatalf("%d: %+v, %v", size>>20, q, err)
		}
		for i, v := range q.reads {
			if math.Abs(v-want[i]) > 0.01 {
				t.Errorf("%d MiB: %v reads, want %v", size>>20, q.reads, want)
			}
		}
	}
	for size, c := range map[int64][]Miss{99 << 20: curve, 1601 << 20: curve, 400 << 20: curve[1:2]} {
		r := Reference{curves: map[Cache][]Miss{SharedBuffers: c}}
		if _, err := r.resolve(Question{SharedBuffers: size}); err == nil || !strings.Contains(err.Error(), "is not known: shared_buffers was measured") {
			t.Errorf("%d MiB of %v: %v", size>>20, c, err)
		}
	}
}

// TestOneCache: curves of two caches cannot be combined.
func TestOneCache(t *testing.T) {
	if _, err := (&Reference{}).resolve(Question{Memory: 1, SharedBuffers: 1}); err == nil {
		t.Error("both were asked for")
	}
	if q, err := (&Reference{}).resolve(Question{Clients: 3}); err != nil || q.reads != nil {
		t.Errorf("%+v, %v", q, err)
	}
}

// TestCrowded checks that more clients need more reads, with less memory for the cache, and that it is not known exactly;
// of a dataset that is not known, the reads stay.
func TestCrowded(t *testing.T) {
	r := Reference{Cell: demand.Cell{Cell: experiment.Cell{Clients: 16}, Accounts: &demand.Accounts{Table: 65596, Index: 10970, Backend: 1.4 * 128},
		System: closed.System{Demand: closed.Demand{Reads: 1.185}}}}
	for clients, want := range map[int][]float64{48: {1.416, 1.297, 1.678}, 4: {1.107, 1.145, 1.033}, 16: nil, 0: nil} {
		q, err := r.resolve(Question{Clients: clients})
		if err != nil || len(q.reads) != len(want) {
			t.Fatalf("%d clients: %v, %v", clients, q.reads, err)
		}
		for i := range want {
			if math.Abs(q.reads[i]-want[i]) > 0.01 {
				t.Errorf("%d clients: %.3f, want %v", clients, q.reads, want)
				break
			}
		}
	}
	if _, err := r.resolve(Question{Clients: 160}); err == nil || !strings.Contains(err.Error(), "would leave no memory for the caches") {
		t.Error(err)
	}
	r.curves = map[Cache][]Miss{Memory: {{"small", 100 << 20, 1.4}, {"large", 200 << 20, 1.1}}}
	if q, err := r.resolve(Question{Clients: 48, Memory: 200 << 20}); err != nil || len(q.reads) != 3 || q.reads[0] < 1.25 || q.reads[0] > 1.35 {
		t.Errorf("with more memory: %v, %v", q.reads, err)
	}
	r.Accounts = nil
	if q, err := r.resolve(Question{Clients: 48}); err != nil || q.reads != nil {
		t.Errorf("%v, %v", q.reads, err)
	}
}

// TestCache reads the sizes of caches, and leaves them out of a comparison.
func TestCache(t *testing.T) {
	e := record.Environment{Settings: map[string]string{"shared_buffers": "512MB"}, Declared: map[string]string{"shared_buffers": "512MB", "autovacuum": "off"},
		Limits: &record.Limits{Memory: 1 << 30, CPUs: "0"}}
	for cache, want := range map[Cache]int64{Memory: 1 << 30, SharedBuffers: 512 << 20} {
		if got, known := cache.of(e); got != want || !known {
			t.Errorf("%s is %d", cache, got)
		}
		if _, known := cache.of(record.Environment{}); known {
			t.Errorf("%s of nothing is known", cache)
		}
	}
	smaller := e
	smaller.Limits = &record.Limits{Memory: 1 << 20, CPUs: "0"}
	if alike(e, smaller) || !alike(Memory.without(e), Memory.without(smaller)) || e.Limits.Memory != 1<<30 {
		t.Error("environments that differ in their memory alone")
	}
	other := e
	other.Declared = map[string]string{"shared_buffers": "1GB", "autovacuum": "off"}
	if alike(e, other) || !alike(SharedBuffers.without(e), SharedBuffers.without(other)) || alike(Memory.without(e), Memory.without(other)) {
		t.Error("environments that differ in shared_buffers alone")
	}
}
