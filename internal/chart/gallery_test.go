package chart

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var galleryDir = flag.String("gallery", "", "write all figures as pages into this directory, to look at them")

// gallery returns charts of every kind, with full data and in error-prone forms.
func gallery() map[string][]string {
	one := Multiples{Title: "one point", XTitle: "clients", YTitle: "TPS", XLog: true,
		Panels: []Panel{{Title: hostileName, Series: []Series{{Name: hostileName, Points: []Point{{X: 8, Y: 3635, Low: 2900, High: 4100}}}}}}}
	order, points := someOrder(), someMultiples(3, 1, 1.4, 1.8)
	curves, eight := somePercentiles(3), somePercentiles(8)
	single := Forest{Title: "one", Unit: "%", Margin: 3, Less: "memory is slower", More: "memory is faster", Rows: someForest(0).Rows[:1]}
	return map[string][]string{
		"forest":      {someForest(0).SVG(), single.SVG(), Forest{Title: "none", Unit: "%", Less: "slower", More: "faster"}.SVG()},
		"narrow":      {someForest(360).SVG(), someForest(320).SVG()},
		"extreme":     {extremeForest().SVG()},
		"multiples":   {points.SVG(), someMultiples(8, 1, 2, 30).SVG()},
		"panels":      {points.PanelSVG(0), one.PanelSVG(0), Multiples{YTitle: "TPS", Panels: []Panel{{Title: "empty"}}}.PanelSVG(0), Multiples{}.SVG(), someMultiples(8, 1, 2, 30).PanelSVG(2)},
		"percentiles": {curves.SVG(), eight.SVG(), curves.PanelSVG(1), Percentiles{}.SVG()},
		"order":       {order.SVG(), order.PanelSVG(0), Order{}.SVG()},
		"timeline":    {someTimeline(90).SVG(), someTimeline(1200).SVG(), someTimeline(1).SVG(), Timeline{}.SVG()},
		"stacks":      {someStacks(0).SVG(), someStacks(330).SVG(), Stacks{}.SVG()},
		"heat":        {someHeat(90).SVG(), someHeat(2000).SVG(), Heat{Edges: []float64{0, 5}, Counts: [][]int{{3}}}.SVG(), Heat{YTitle: "latency, ms"}.SVG()},
	}
}

// TestGallery checks that no text overlaps other text or leaves the picture. With -gallery it
// writes all charts to a directory.
func TestGallery(t *testing.T) {
	dir := *galleryDir
	if dir == "" {
		dir = t.TempDir()
	}
	for name, figures := range gallery() {
		for i, svg := range figures {
			kind := fmt.Sprintf("%s %d", name, i)
			tree := parse(t, svg)
			apart(t, kind, tree)
			inside(t, kind, tree)
			named, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s-%d.svg", name, i)))
			if err != nil {
				t.Fatal(err)
			}
			_, err = named.WriteString(Standalone(svg))
			if closed := named.Close(); err != nil || closed != nil {
				t.Fatal(err, closed)
			}
		}
		for _, theme := range []string{"light", "dark"} {
			if err := os.WriteFile(filepath.Join(dir, name+"-"+theme+".html"), []byte(galleryPage(theme, figures)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func galleryPage(theme string, figures []string) string {
	return `<!doctype html><html data-theme="` + theme + `"><meta charset="utf-8"><style>body{background:var(--paper);margin:16px}` +
		`svg{margin:8px 16px 24px 0}` + CSS() + `</style>` + strings.Join(figures, "\n")
}
