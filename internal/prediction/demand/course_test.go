package demand

import (
	"math"
	"testing"

	"plinth/internal/record"
)

// TestCourse: a load of 50 transactions in its first second, and 100, 150 and 100 in the next ones, at a mean of 100.
func TestCourse(t *testing.T) {
	tps := record.Column{Name: "tps", Values: []float64{50, math.NaN(), 150, 100}}
	c := courseOf(record.Points{Columns: []record.Column{{Name: "second"}, tps}}, 100)
	for seconds, want := range map[float64]float64{0: 0, 0.5: 0.25, 1: 0.5, 1.5: 1, 3: 3, 4: 4, 6: 6} {
		if got := c.After(seconds); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %v s it has done %v s of the mean, want %v", seconds, got, want)
		}
	}
	if got := (Course{2}).After(3); got != 6 {
		t.Errorf("one second goes on as %v", got)
	}
	if got := (Course)(nil).After(7); got != 7 {
		t.Errorf("without a course: %v", got)
	}
	if c := courseOf(record.Points{}, 100); c != nil {
		t.Errorf("without points: %v", c)
	}
}
