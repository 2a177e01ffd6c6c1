package durability_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/durability"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/show"
)

func powerCut(faults ...record.Injection) record.Durability {
	return record.Durability{Fault: "power-cut", Of: "primary", Recover: "disk", Injections: faults}
}

// onKubernetes returns a fault after which a pod was the primary: a-1 was it before.
func onKubernetes(s record.Injection, outage float64, after string) record.Injection {
	s.Outage = outage
	s.Primary = &record.Primary{Before: record.PrimaryPod{Pod: "a-1", Timeline: 1}, After: record.PrimaryPod{Pod: after, Timeline: 2}}
	return s
}

func TestSurvivalLine(t *testing.T) {
	lost := record.Injection{Acknowledged: 10, Found: 8, Took: 1, Back: 0.62}
	kept := record.Injection{Acknowledged: 1000, Found: 1000, Took: 12.34}
	broke := record.Injection{Acknowledged: 10, Took: 1, Broke: "PANIC"}
	with := func(fault, of, recovers string, faults ...record.Injection) record.Durability {
		return record.Durability{Fault: fault, Of: of, Recover: recovers, Injections: faults}
	}
	for want, of := range map[string]record.Durability{
		"a: LOST 2 of 10 acknowledged writes in a power cut, 0.62 s back":                                                                         powerCut(lost),
		"a: kept all 1,000 acknowledged writes in a power cut, answered again after 12.3 s":                                                       powerCut(kept),
		"a: no write was acknowledged before a power cut, so its loss is unknown":                                                                 powerCut(record.Injection{Took: 1}),
		"a: LOST acknowledged writes in 1 of 2 kills: worst 2, median 1; up to 0.62 s back":                                                       with("kill", "primary", "disk", lost, kept),
		"a: kept all 2,000 acknowledged writes in 2 kills of both servers (its replica took over), answered again after 12.3 s (median)":          with("kill", "both", "promote", kept, kept),
		"a: LOST 10 of 10 acknowledged writes in a power cut; it did NOT COME BACK: PANIC":                                                        powerCut(broke),
		"a: kept all 2,000 acknowledged writes in 2 pod deletions; no write was acknowledged for 4.0 s (median); another pod took over in 1 of 2": with("delete-pod", "primary", "cluster", onKubernetes(kept, 3, "a-1"), onKubernetes(kept, 5, "a-2")),
		"a: LOST 2 of 10 acknowledged writes in a drain, 0.62 s back; no write was acknowledged for 7.2 s; another pod took over":                 with("drain", "primary", "cluster", onKubernetes(lost, 7.2, "a-2")),
	} {
		if got := durability.Line(record.Survival{Environment: "a", Durability: of}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPoliciesSideBySide checks the losses of each environment, and the note about those
// without any.
func TestPoliciesSideBySide(t *testing.T) {
	rec := reporttest.WellDecided(t)
	var never, often []record.Injection
	for i := range 20 {
		never = append(never, record.Injection{Acknowledged: 500, Found: 500, Took: 0.5})
		often = append(often, record.Injection{Acknowledged: 500, Found: 500 - 10*int64(i), Back: 0.05 * float64(i), Took: 0.7})
	}
	rec.Summary.Durability = map[string]record.Durability{"one-disk": powerCut(never...), "two-disks": powerCut(often...)}
	numbers, err := show.Gather(rec, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	text := durability.Survived(rec.Summary.Survivals(rec.Summary.Baseline, numbers.Names()), numbers).Markdown()
	for _, want := range []string{
		"| one-disk | 20 power cuts | 0 of 20 | 10,000 | 0 | 0 | ", "| 0.50 s |",
		"| two-disks | 20 power cuts | 19 of 20 | 10,000 | 190 | 95 | 0.95 s | 0.47 s | 0.70 s |",
		"None in 20 means that up to 14 % of such faults may still lose writes",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
