package page

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"plinth/internal/record/recordtest"
)

const head = recordtest.HistogramHead

var second = recordtest.HistogramSecond

func TestHeat(t *testing.T) {
	log := head + second(t, "read", 0, 100_000, 100_000) + second(t, "write", 0, 5_000_000) +
		second(t, "read", 1) + second(t, "read", 2, 0, 90_000_000)
	heat, err := readHeat([]byte(log), 100)
	if err != nil {
		t.Fatal(err)
	}
	if heat.Start != 0 || heat.Step != 1 || len(heat.Counts) != 3 {
		t.Fatalf("from %g by %g, %d steps", heat.Start, heat.Step, len(heat.Counts))
	}
	if n := len(heat.Edges) - 1; n > mostHeatIntervals || n < mostHeatIntervals/2 || !slices.IsSorted(heat.Edges) {
		t.Errorf("%d intervals: %v", n, heat.Edges)
	}
	for step, want := range []map[float64]int{{100_000: 2, 5_000_000: 1}, {}, {1000: 1, 90_000_000: 1}} {
		for i, n := range heat.Counts[step] {
			inside := 0
			for latency, count := range want {
				if latency >= heat.Edges[i] && latency < heat.Edges[i+1] {
					inside += count
				}
			}
			if n != inside {
				t.Errorf("second %d, %g to %g ns: %d transactions, want %d", step, heat.Edges[i], heat.Edges[i+1], n, inside)
			}
		}
	}
}

// A long run has as many steps as there is room for, and loses no transaction.
func TestHeatIsThinned(t *testing.T) {
	log := head
	for s := range 50 {
		log += second(t, "", float64(s), 200_000, int64(s+1)*1_000_000)
	}
	heat, err := readHeat([]byte(log), 20)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, step := range heat.Counts {
		for _, n := range step {
			total += n
		}
	}
	if len(heat.Counts) != 17 || heat.Step != 3 || total != 100 {
		t.Errorf("%d steps of %g s with %d transactions", len(heat.Counts), heat.Step, total)
	}
}

func TestHeatOfNothing(t *testing.T) {
	for name, log := range map[string]string{
		"no byte":          "",
		"no interval":      head,
		"no transaction":   head + second(t, "", 0),
		"one that was cut": head + second(t, "", 0, 1000)[:40],
	} {
		if heat, err := readHeat([]byte(log), 100); heat != nil || err != nil {
			t.Errorf("%s: %v, %v", name, heat, err)
		}
	}
}

func TestHeatRefusesDamage(t *testing.T) {
	good := second(t, "", 0, 100_000, 7_000_000)
	for name, line := range map[string]string{
		"no fields":          "what\n",
		"cut in the middle":  good[:len(good)-20] + "\n",
		"years without load": good + second(t, "", 999_999, 1),
	} {
		if heat, err := readHeat([]byte(head+line), 100); heat != nil || err == nil {
			t.Errorf("%s: %v, %v", name, heat, err)
		}
	}
}

func FuzzHeat(f *testing.F) {
	f.Add([]byte(head + second(f, "", 0, 1_000, 2_000_000)))
	f.Add([]byte(head + second(f, "a", -1, 5_000) + second(f, "b", 3, 77_000)))
	f.Add(bytes.ReplaceAll([]byte(head+second(f, "", 0, 9)), []byte("A"), []byte("/")))
	f.Fuzz(func(t *testing.T, log []byte) {
		heat, err := readHeat(log, 50)
		if err != nil || heat == nil {
			return
		}
		if len(heat.Counts) > 50 || len(heat.Edges) > mostHeatIntervals+1 || !slices.IsSorted(heat.Edges) {
			t.Errorf("%d steps, edges %v", len(heat.Counts), heat.Edges)
		}
		for _, step := range heat.Counts {
			if len(step) != len(heat.Edges)-1 || slices.Min(step) < 0 {
				t.Errorf("a step has %v", step)
			}
		}
	})
}

// TestOutliersBelowTakeNoRoom: a few transactions that were logged as done in no time
// count in the first interval, and none is lost.
func TestOutliersBelowTakeNoRoom(t *testing.T) {
	counts := make([]fineCounts, 1)
	usual, slowest := int(fineOf()[2100]), int(fineOf()[9000])
	counts[0][0], counts[0][usual], counts[0][slowest] = 3, 9_990, 7
	heat := fold(timeGrid{steps: 1, step: 1}, counts)
	if first := math.Exp2(float64(usual) / finest); heat.Edges[0] < first/2 {
		t.Errorf("it begins at %v ns, the usual ones at %v", heat.Edges[0], first)
	}
	sum := 0
	for _, n := range heat.Counts[0] {
		sum += n
	}
	if sum != 10_000 || heat.Counts[0][len(heat.Counts[0])-1] != 7 {
		t.Errorf("%d transactions are counted: %v", sum, heat.Counts[0])
	}
}
