package predicted

import (
	"slices"

	"plinth/internal/prediction"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// basis returns the word for the numbers of the reference, for the head of a column.
func (r Report) basis() string {
	if r.Imported {
		return "Imported"
	}
	return "Measured"
}

// assumptions lists what is taken for granted of a reference that others measured, each sentence once.
func (r Report) assumptions() prose.Document {
	var all prose.List
	add := func(p *prediction.Prediction) {
		if p == nil {
			return
		}
		for _, text := range p.Assumed {
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	for _, c := range r.Cells {
		add(c.Prediction)
	}
	if r.Swept != nil {
		for _, p := range r.Swept.Points {
			add(p.Prediction)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return prose.Document{prose.Heading("What is assumed"), all}
}

// nearly formats a predicted number, which is unknown if the reference lacks it.
func nearly(e prediction.Estimate, format func(float64) string) string {
	if e == (prediction.Estimate{}) {
		return phrase.None
	}
	return "~" + format(e.Value)
}

// known formats a measured latency in seconds as milliseconds; 0 is not known.
func known(seconds float64) string {
	if !(seconds > 0) {
		return phrase.None
	}
	return ms(seconds)
}
