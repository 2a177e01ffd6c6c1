package chart

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	small := someMultiples(2, 1)
	for name, svg := range map[string]string{
		"forest":      someForest(0).SVG(),
		"narrow":      someForest(360).SVG(),
		"multiples":   small.PanelSVG(0),
		"percentiles": somePercentiles(2).PanelSVG(0),
		"timeline":    someTimeline(30).SVG(),
		"heat":        someHeat(12).SVG(),
		"stacks":      someStacks(0).SVG(),
		"nothing":     Multiples{}.SVG(),
	} {
		path := filepath.Join("testdata", name+".svg")
		got := Standalone(svg)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != got {
			t.Errorf("%s is drawn differently: look at it, then run with -update", name)
		}
	}
}
