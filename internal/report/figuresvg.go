package report

import (
	"slices"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/hint"
	"plinth/internal/prose"
)

// FigureSVG is one figure of the report as an SVG file: by its name, and what was
// chosen where it has several forms ("threads=4", "cell=c8-j1", "effect=p99"); what
// is not said is as the page shows it at first.
func (f *Full) FigureSVG(name string, choices []string) (string, error) {
	var names, forms []string
	for _, p := range f.pictures() {
		if !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
		if p.name != name {
			continue
		}
		if p.chosenBy(choices, f.defaults()) {
			return chart.Standalone(p.whole()), nil
		}
		forms = append(forms, strings.Fields(p.when)...)
	}
	if !slices.Contains(names, name) {
		return "", hint.Errorf(hint.DidYouMean(name, names, "it has "+strings.Join(names, ", ")), "%s has no figure %q", f.Record, name)
	}
	slices.Sort(forms)
	return "", hint.Errorf("one of "+strings.Join(slices.Compact(forms), ", "), "the figure %q has no form with %s", name, strings.Join(choices, " "))
}

// chosenBy says whether the picture is shown when this is chosen.
func (p picture) chosenBy(choices, defaults []string) bool {
	for _, condition := range strings.Fields(p.when) {
		key, _, _ := strings.Cut(condition, "=")
		said := func(choice string) bool { return strings.HasPrefix(choice, key+"=") }
		of := choices
		if !slices.ContainsFunc(choices, said) {
			of = defaults
		}
		// What a figure is named for needs no choice: "p99" shows p99.
		if key != "shows" && !slices.Contains(of, condition) {
			return false
		}
	}
	for _, choice := range choices {
		if !slices.Contains(strings.Fields(p.when), choice) {
			return false
		}
	}
	return true
}

// pictures are all figures of the report.
func (f *Full) pictures() []picture {
	var all []picture
	f.each(func(b prose.Block) {
		switch p := b.(type) {
		case picture:
			all = append(all, p)
		case forestPicture:
			all = append(all, p.picture)
		}
	})
	return all
}

// defaults are what is chosen at first.
func (f *Full) defaults() []string {
	var all []string
	f.each(func(b prose.Block) {
		lists, _ := b.(choices)
		for _, c := range lists {
			all = append(all, c.name+"="+c.chosen)
		}
	})
	return all
}

// each calls do for the blocks of all parts.
func (f *Full) each(do func(prose.Block)) {
	for _, part := range f.Parts {
		for _, b := range part.Body {
			do(b)
		}
	}
}
