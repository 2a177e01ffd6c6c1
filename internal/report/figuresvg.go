package report

import (
	"slices"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/hint"
	"plinth/internal/prose"
)

// FigureSVG returns a figure of the report as an SVG file, by its name and the choices for
// figures with several forms ("threads=4", "cell=c8-j1", "effect=p99"). Defaults are those of
// the page.
func (f *Full) FigureSVG(name string, choices []string) (string, error) {
	var names, forms []string
	for _, p := range f.pictures() {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
		if p.Name != name {
			continue
		}
		if p.ChosenBy(choices, f.defaults()) {
			return chart.Standalone(p.Whole()), nil
		}
		forms = append(forms, strings.Fields(p.When)...)
	}
	if !slices.Contains(names, name) {
		return "", hint.Errorf(hint.DidYouMean(name, names, "use one of "+strings.Join(names, ", ")), "%s has no figure %q", f.Record, name)
	}
	slices.Sort(forms)
	return "", hint.Errorf("use one of "+strings.Join(slices.Compact(forms), ", "), "the figure %q has no variant with %s", name, strings.Join(choices, " "))
}

// pictures returns all figures of the report.
func (f *Full) pictures() []prose.Picture {
	var all []prose.Picture
	f.each(func(b prose.Block) {
		if p, is := b.(prose.Picture); is {
			all = append(all, p)
		}
	})
	return all
}

// defaults returns the default choices.
func (f *Full) defaults() []string {
	var all []string
	f.each(func(b prose.Block) {
		lists, _ := b.(prose.Choices)
		for _, c := range lists {
			all = append(all, c.Name+"="+c.Chosen)
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
