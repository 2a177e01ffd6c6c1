package chart_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/chart"
)

// TestASecondIsAStep checks that a value is drawn from its second to the next one, so that the
// measured second of a short run does not extend into its warm-up.
func TestASecondIsAStep(t *testing.T) {
	ends := func(values []float64) (from, to float64) {
		svg := chart.Timeline{Start: -1, Step: 1, Tracks: []chart.Track{{Title: "TPS", Lines: []chart.Line{{Name: "TPS", Values: values}}}}}.SVG()
		lines := regexp.MustCompile(`class="line" d="M([^"]*)"`).FindAllStringSubmatch(svg, -1)
		places := strings.FieldsFunc(lines[len(lines)-1][1], func(r rune) bool { return strings.ContainsRune("ML ", r) })
		from, _ = strconv.ParseFloat(places[0], 64)
		to, _ = strconv.ParseFloat(places[len(places)-2], 64)
		return from, to
	}
	from, to := ends([]float64{100, 100})
	if to-from < 500 {
		t.Errorf("two seconds are drawn from %v to %v px: they fill the axis", from, to)
	}
	if f, end := ends([]float64{50, 100, 50}); f != from || end != to {
		t.Errorf("three seconds are drawn from %v to %v px, two from %v to %v", f, end, from, to)
	}
}
