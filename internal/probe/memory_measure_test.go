//go:build linux && measure

package probe

import (
	"math/rand/v2"
	"testing"
	"time"

	"plinth/internal/measuretest"
	"plinth/internal/unit"
)

func TestMeasureMemory(t *testing.T) {
	measuretest.Ask(t, "Does a pointer chase distinguish memory from the L1 cache?", func(m *measuretest.M) {
		random := rand.New(rand.NewPCG(1, 1))
		near, far := make([]byte, 8*unit.KiB), make([]byte, 16*unit.MiB)
		thread(near, random)
		thread(far, random)
		a, _ := chase(near, 0, 20*time.Millisecond)
		b, _ := chase(far, 0, 20*time.Millisecond)
		m.Between("latency of a load from the L1 cache", a*1e9, "ns", 0, 1000)
		m.Between("latency of a load from memory", b*1e9, "ns", 1, 10_000)
		m.AtLeast("memory latency, relative to the L1 cache", b/a, "", 1.5)
	})
}
