package verdict_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

const ablated = "environments: {none: {}, all: {}, without-a: {}, without-b: {}, without-a-without-b: {}}"

// takenApart builds the record of an ablation of two parts, with these factors of TPS.
func takenApart(t fatal, all, withoutA, withoutB, none float64, lines ...string) *record.Record {
	t.Helper()
	return made(t, file(append([]string{ablated, "baseline: all", "repeats: 12"}, lines...)...),
		faster(map[string]float64{"all": all, "without-a": withoutA, "without-b": withoutB, "none": none, "without-a-without-b": none}))
}

func contrasts() []verdict.Contrast {
	return []verdict.Contrast{
		verdict.Excess("tpcb-like", "all", "none", []string{"without-a", "without-b"}),
		verdict.PairInteraction("tpcb-like", "all", "without-a", "without-b", "without-a-without-b"),
	}
}

// TestContrasts checks the direction and effect of known interactions of two parts.
func TestContrasts(t *testing.T) {
	for name, c := range map[string]struct {
		rec       *record.Record
		direction stats.Outcome
		effect    float64
	}{
		"they multiply":         {takenApart(t, 1.32, 1.1, 1.2, 1), stats.Equal, 0},
		"each needs the other":  {takenApart(t, 1.5, 1, 1, 1), stats.Up, 0.5},
		"each does both":        {takenApart(t, 1.5, 1.5, 1.5, 1), stats.Down, 1/1.5 - 1},
		"repeats are the units": {takenApart(t, 1.5, 1, 1, 1, "interleave: repeat", "clients: [1, 8]"), stats.Up, 0.5},
		"some of it":            {until(takenApart(t, 1.5, 1, 1, 1), 3), "", 0.5},
	} {
		found, err := verdict.Contrasts(c.rec, contrasts())
		if err != nil || len(found) != 2 {
			t.Fatal(name, found, err)
		}
		for i, k := range found {
			if k.Direction != c.direction || math.Abs(math.Log1p(k.Effect)-math.Log1p(c.effect)) > 0.02 {
				t.Errorf("%s, %d: %q %v, want %q %v", name, i, k.Direction, k.Effect, c.direction, c.effect)
			}
			if k.Low > k.Effect || k.High < k.Effect || k.Direction != "" && k.Level == 0 || k.Direction == "" && k.Level != 0 {
				t.Errorf("%s, %d: %v to %v at %v", name, i, k.Low, k.High, k.Level)
			}
		}
	}
}

// TestWhatABlockSharesFallsOut checks that a machine that is faster for the length of a
// block changes no sum.
func TestWhatABlockSharesFallsOut(t *testing.T) {
	rec := takenApart(t, 1.5, 1, 1, 1)
	quiet, err := verdict.Contrasts(rec, contrasts())
	if err != nil {
		t.Fatal(err)
	}
	for i := range rec.Runs {
		rec.Runs[i].Result.TPS *= 1 + float64(rec.Runs[i].Repeat%3)
	}
	moody, err := verdict.Contrasts(rec, contrasts())
	if err != nil {
		t.Fatal(err)
	}
	for i := range quiet {
		if !alike(quiet[i].Effect, moody[i].Effect) || !alike(quiet[i].Low, moody[i].Low) || quiet[i].Direction != moody[i].Direction {
			t.Errorf("%+v became %+v", quiet[i], moody[i])
		}
	}
}

// TestContrastsOfWhatIsMissing checks that there is no test if numbers are missing.
func TestContrastsOfWhatIsMissing(t *testing.T) {
	rec := takenApart(t, 1.5, 1, 1, 1)
	for i := range rec.Runs {
		if rec.Runs[i].Environment == "without-a" && rec.Runs[i].Repeat == 4 {
			rec.Runs[i].Result.TPS = 0
		}
	}
	found, err := verdict.Contrasts(rec, contrasts())
	if err != nil {
		t.Fatal(err)
	}
	if k := found[0]; k.N != 11 || k.Direction != "" || !hasNote(k.Warnings, "no-number", "1 block") {
		t.Errorf("%+v", k)
	}
	lost := takenApart(t, 1.5, 1, 1, 1)
	for i := range lost.Runs {
		if lost.Runs[i].Environment == "none" && lost.Runs[i].Repeat <= 6 {
			lost.Runs[i].Status = record.Invalid
		}
	}
	if found, err = verdict.Contrasts(lost, contrasts()); err != nil || found[0].Outcome != record.Unfit || found[0].Direction != "" {
		t.Errorf("half of the blocks are lost: %+v %v", found, err)
	}
}

// TestContrastsBeforeTheFirstLook checks that a lost block makes nothing invalid while it may be measured again.
func TestContrastsBeforeTheFirstLook(t *testing.T) {
	early := until(takenApart(t, 1.5, 1, 1, 1), 2)
	for i := range early.Runs {
		if early.Runs[i].Environment == "none" && early.Runs[i].Repeat == 1 {
			early.Runs[i].Status = record.Invalid
		}
	}
	if found, err := verdict.Contrasts(early, contrasts()); err != nil || found[0].Outcome == record.Unfit {
		t.Errorf("%+v %v", found, err)
	}
}

// TestContrastsFarApart checks that an overflow yields an invalid result that JSON can
// hold.
func TestContrastsFarApart(t *testing.T) {
	parts := make([]string, 0, 12)
	environments := "environments: {none: {}, all: {}"
	for i := range cap(parts) {
		parts = append(parts, "without-"+string(rune('a'+i)))
		environments += ", " + parts[i] + ": {}"
	}
	rec := made(t, file(environments+"}", "baseline: all"), func(run *record.Run) {
		run.Result.TPS = 1e-99
		if run.Environment == "all" {
			run.Result.TPS = 1e99
		}
	})
	found, err := verdict.Contrasts(rec, []verdict.Contrast{verdict.Excess("tpcb-like", "all", "none", parts)})
	if err != nil || found[0].Outcome != record.Unfit {
		t.Fatalf("%+v %v", found, err)
	}
	if data, err := json.Marshal(found); err != nil || strings.Contains(string(data), "e+3") {
		t.Errorf("%s %v", data, err)
	}
}
