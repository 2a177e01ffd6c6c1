package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// underLoad returns a Noise without numbers yet, with the load under which an experiment
// measures a workload.
func underLoad(e *experiment.Experiment, workload string) record.Noise {
	n := record.Noise{Workload: workload, Scale: e.Dataset.Scale}
	if e.Transactions == 0 {
		n.Duration = e.Duration.Seconds()
	}
	for _, cell := range e.Cells() {
		if cell.Workload != workload {
			continue
		}
		if !slices.Contains(n.Clients, cell.Clients) {
			n.Clients = append(n.Clients, cell.Clients)
		}
		if cell.Rate > 0 && !slices.Contains(n.Rates, cell.Rate) {
			n.Rates = append(n.Rates, cell.Rate)
		}
	}
	return n
}

// unlike describes how the load of an experiment differs from the one under which noise
// was measured: "measured in 1 s runs with 1 and 8 clients; this experiment is 60 s with 50
// clients". Noise depends on all of it. It returns "" if nothing differs.
func unlike(e *experiment.Experiment, n record.Noise) string {
	if len(n.Clients) == 0 {
		return "its record does not have the load under which it was measured"
	}
	here := underLoad(e, n.Workload)
	var then, now []string
	add := func(differs bool, there, this string) {
		if differs {
			then, now = append(then, there), append(now, this)
		}
	}
	add(n.Duration != here.Duration, "in "+length(n)+" runs", length(here))
	add(!sameSet(n.Clients, here.Clients), "with "+clients(n), "with "+clients(here))
	add(!sameSet(n.Rates, here.Rates), rates(n), rates(here))
	add(n.Scale != here.Scale, fmt.Sprintf("at scale %d", n.Scale), fmt.Sprintf("at scale %d", here.Scale))
	if then == nil {
		return ""
	}
	return "measured " + strings.Join(then, " ") + "; this experiment is " + strings.Join(now, " ")
}

// length returns how long a run is measured, in words.
func length(n record.Noise) string {
	if n.Duration == 0 {
		return "counted"
	}
	return decimal(n.Duration) + " s"
}

func clients(n record.Noise) string {
	if len(n.Clients) == 1 && n.Clients[0] == 1 {
		return "1 client"
	}
	return together(n.Clients, strconv.Itoa) + " clients"
}

func rates(n record.Noise) string {
	if len(n.Rates) == 0 {
		return "in a closed loop"
	}
	return "at " + together(n.Rates, decimal) + " a second"
}

// together joins values as in "1, 8 and 50".
func together[T any](values []T, text func(T) string) string {
	var words []string
	for _, v := range values {
		words = append(words, text(v))
	}
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func sameSet[T int | float64](a, b []T) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
