//go:build linux && measure

package stand

import (
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/measuretest"
	"plinth/internal/unit"
)

// TestMeasurePress measures the load that a neighbour reaches that fills 48 MiB and keeps a CPU
// busy.
func TestMeasurePress(t *testing.T) {
	measuretest.Ask(t, "What share of the requested load does a neighbour reach?", func(m *measuretest.M) {
		b, p, memory := pressing(m.T, experiment.Pressure{CPU: 1})
		p.Environment.Pressure.Memory = unit.Share(float64(48*unit.MiB) / float64(memory))
		n, err := b.Press(m.Context(), p, memory)
		if err != nil {
			m.Fatal(err)
		}
		m.Cleanup(n.Stop)
		<-time.After(500 * time.Millisecond)
		reached, err := n.Reached()
		if err != nil {
			m.Fatal(err)
		}
		// The process itself uses some MiB. CPU time that the hypervisor gives to others counts
		// as neither.
		m.Between("memory", (reached.Memory+reached.Swapped)/n.asked.Memory, "", 0.98, 1.3)
		m.Between("CPU time, running and waiting", reached.CPU+reached.Waiting, "", 0.5, 1.1)
	})
}
