package cost

import (
	"testing"
)

// TestTerms: 720 hours of an m6i.large cost $72, or $36 at half the price; the volume costs $8 in both cases.
func TestTerms(t *testing.T) {
	e := parse(t, `  a: {instance: m6i.large, storage: {data: {emulate: gp3, size: 100GiB}}}
  b: {instance: m6i.large, cost: {term: spot}, storage: {data: {emulate: gp3, size: 100GiB}}}
  c: {storage: {data: {emulate: gp3, size: 100GiB}}}
baseline: a
`)
	s, err := NewSheet(e, nil, testBooks(t), false)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]Term{{{"spot", 44}}, {{"on-demand", 80}}, nil} {
		got := s.Environments[i].Terms
		if len(got) != len(want) || len(want) == 1 && got[0] != want[0] {
			t.Errorf("%s: got %+v, want %+v", s.Environments[i].Name, got, want)
		}
	}
	// $80 a month with $8 of surplus credits are $52 under spot; a million cost 52/88 of what they did.
	row := Row{Month: 88, Million: Range{Value: 0.88, Low: 0.44, High: 1.76, Level: 0.95, N: 6}}
	month, million := row.Under(Term{"spot", 44}, s.Environments[0].Bill)
	if month != 52 || !alike(million.Value, 0.52) || !alike(million.Low, 0.26) || !alike(million.High, 1.04) {
		t.Errorf("got %v and %+v", month, million)
	}
}

func alike(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
