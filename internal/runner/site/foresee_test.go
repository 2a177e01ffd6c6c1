package site

import (
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/runner/tuning"
)

// The scale is fitted when an experiment begins; resuming keeps it.
func TestResumeDoesNotFitAnew(t *testing.T) {
	const text = "dataset: {scale: 900000, fit: true}\nworkloads: [select-only]\nenvironments: {a: {storage: {data: /tmp}}}\n"
	load := func() *experiment.Experiment {
		e, _, err := decode.Parse("x.yaml", []byte(text), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	fresh := NewLocal()
	fresh.Adopt(&tuning.Tuning{Experiment: load()}, false)
	preview, err := fresh.preview(Plan{})
	if err != nil || fresh.experiment.Dataset.Scale >= 900000 || len(preview.Warnings) != 1 {
		t.Errorf("begun: scale %d, warnings %v, %v; want a smaller scale, said", fresh.experiment.Dataset.Scale, preview.Warnings, err)
	}
	resumed := NewLocal()
	resumed.Adopt(&tuning.Tuning{Experiment: load()}, false)
	if preview, err = resumed.preview(Plan{SideBySide: new(false)}); err != nil || resumed.experiment.Dataset.Scale != 900000 || preview.TooSmall() == nil {
		t.Errorf("resumed: scale %d, %v; want the same scale, refused as too large", resumed.experiment.Dataset.Scale, err)
	}
}

// A machine that only drives loads has no environments.
func TestForeseeOfALoadGenerator(t *testing.T) {
	e, _, err := decode.Parse("x.yaml", []byte("workloads: [select-only]\nreset: reload\ndriver: {at: here}\nenvironments: {a: {}}\n"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Environments = nil
	foreseen, err := NewLocal().Foresee(t.Context(), Plan{Experiment: e})
	if err != nil || len(foreseen.Preview.Needs) > 0 || !foreseen.Preview.SideBySide {
		t.Errorf("%+v, %v", foreseen.Preview, err)
	}
}
