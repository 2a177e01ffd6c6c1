package figure

import (
	"math"
	"slices"
	"strings"

	"plinth/internal/figure/window"
	"plinth/internal/metric"
)

const (
	active = "wait.active"

	// leastWait is the share of active time below which a wait event is left out.
	leastWait = 0.001
)

// waits holds what active client backends waited for: shares of their time.
func (m *maker) waits() {
	sessions := m.Of(active)
	m.put("active-sessions", sessions.Mean())
	m.put("wait.CPU", m.Share([]string{"wait.CPU"}, []string{active}))
	all := window.Total(sessions.Values)
	if sessions.Why == "" && all == 0 {
		sessions.Why = "no client backend was active in the whole window"
	}
	if sessions.Why != "" {
		m.put(metric.Wait, window.Number{Why: sessions.Why})
		return
	}
	for _, event := range m.events() {
		if share := m.waited(event) / all; share >= leastWait {
			m.put(event, window.Number{Value: share})
		}
	}
}

// events are the columns of wait events, in order.
func (m *maker) events() (events []string) {
	for name := range m.Columns {
		if !strings.HasPrefix(name, "wait.") || name == "wait.CPU" {
			continue
		}
		if _, is := metric.FigureNamed(name); is {
			events = append(events, name)
		}
	}
	slices.Sort(events)
	return events
}

// waited is the time spent in an event. In a second whose active backends were
// counted and none of them was in it, there was none, whether the column says so or
// begins only where the event was first seen.
func (m *maker) waited(event string) (sum float64) {
	for i := range m.Seconds {
		if v := m.At(event, i); !math.IsNaN(v) && !math.IsNaN(m.At(active, i)) {
			sum += v
		}
	}
	return sum
}
