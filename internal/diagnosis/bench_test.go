package diagnosis

import (
	"fmt"
	"testing"

	"plinth/internal/record"
)

// minute returns a run of 60 seconds with as many columns as a real one.
func minute() Input {
	in := inputOf(quiet().with(columns{"wait.IO.WALSync": from(9, 1, 3), "wait.Lock.tuple": from(9, 0, 1), "tps": from(9, 1000, 600)}).with(disk("vdb", 10, 300, 1e5, 4e6)))
	in.Run.Figures = nil // computed, as for a run with a fall
	for i := range in.Points.Columns {
		c := &in.Points.Columns[i]
		for len(c.Values) < 60 {
			c.Values = append(c.Values, c.Values[len(c.Values)-1])
		}
		if c.Name == "second" {
			for s := range c.Values {
				c.Values[s] = float64(s)
			}
		}
	}
	for i := len(in.Points.Columns); i < 230; i++ {
		in.Points.Columns = append(in.Points.Columns, record.Column{Name: fmt.Sprintf("other.%d", i), Values: make([]float64, 60)})
	}
	return in
}

// BenchmarkOf diagnoses a run of 60 seconds, which should take at most 50 ms; a record of 500 such runs, 5 s.
func BenchmarkOf(b *testing.B) {
	in := minute()
	for b.Loop() {
		if d := Of(in); d.Division == nil {
			b.Fatal(d.Undivided)
		}
	}
}
