package decode

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/field"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/stats"
	"plinth/internal/strictyaml"
)

// unfoldAblation returns the environments of an ablation, as names and values: the given one without
// its tuning, with all of it, and without each part of it; with pairs also without each two parts, and to screen
// them, with various choices of the parts. It returns nil for invalid input.
func (s *source) unfoldAblation(by, name, base *yaml.Node, dir string) []*yaml.Node {
	tuning := strictyaml.Lookup(base, "tuning")
	parts, err := s.partsOf(tuning, strictyaml.Lookup(base, "without"), by.Value, dir)
	if err != nil {
		s.Add(by, hint.Of(err), "ablate: %v", err)
	}
	if len(parts) < 2 {
		return nil
	}
	if by.Value == experiment.Screen && len(parts) > stats.MostScreened {
		s.Add(by, "use ablate: group, or leave some of them out with without", "ablate: the tuning has %d groups, more than the %d that can be screened", len(parts), stats.MostScreened)
		return nil
	}
	left := leftOut(parts, by.Value)
	if len(left)+2 > field.MaxList {
		s.Add(by, "", "ablate: more than %d environments", field.MaxList)
		return nil
	}
	if s.tooLarge(by, size(base)*(len(left)+2)) {
		return nil
	}
	environments := []*yaml.Node{
		s.Word(experiment.AblationNone, name), mistake.Mapping(base, without(base, "tuning", "without")),
		s.Word(experiment.AblationAll, name), base,
	}
	taken := []string{}
	for _, words := range left {
		list := slices.Clone(items(strictyaml.Lookup(base, "without")))
		for _, word := range words {
			list = append(list, s.Word(word, by))
		}
		value := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: list, Line: by.Line, Column: by.Column}
		env := mistake.Mapping(base, append(without(base, "without"), s.Word("without", by), value))
		called := fmt.Sprintf("mix-%d", len(taken)+1)
		if by.Value != experiment.Screen {
			called = nameWithout(words, taken)
		}
		taken = append(taken, called)
		environments = append(environments, s.Word(called, name), env)
	}
	return environments
}

// leftOut returns the parts that each environment of an ablation lacks: one part; with pairs, also each
// two; with screen, some of the parts, by a screening design, whose runs with none and with all are
// omitted because every ablation has them. It stops soon after field.MaxList environments.
func leftOut(parts []string, by string) [][]string {
	var left [][]string
	if by == experiment.Screen {
		design := stats.Screening(len(parts))
		for _, has := range design[1 : len(design)-1] {
			var lacks []string
			for i, part := range parts {
				if !has[i] {
					lacks = append(lacks, part)
				}
			}
			left = append(left, lacks)
		}
		return left
	}
	for _, part := range parts {
		left = append(left, []string{part})
	}
	for i := 0; by == "pairs" && i < len(parts) && len(left) <= field.MaxList; i++ {
		for _, other := range parts[i+1:] {
			left = append(left, []string{parts[i], other})
		}
	}
	return left
}

// nameWithout names an environment after the parts that it lacks: "without-group-commit". A number
// distinguishes equal names.
func nameWithout(words, taken []string) string {
	const longest = 60 // leaves room for a number
	name := experiment.AsName("without-" + strings.Join(words, "-without-"))
	name = strings.TrimRight(name[:min(len(name), longest)], ".-")
	unique := name
	for i := 2; slices.Contains(taken, unique); i++ {
		unique = fmt.Sprintf("%s-%d", name, i)
	}
	return unique
}

// partsOf returns the parts of an environment's tuning, which it decodes before the rest of the file.
// There are at least two, or none and an error, or neither for a mistake that the decoder will report.
func (s *source) partsOf(tuning, left *yaml.Node, by, dir string) ([]string, error) {
	if !slices.Contains([]string{"layer", "group", "knob", "pairs", experiment.Screen}, by) {
		return nil, nil
	}
	if tuning == nil || strictyaml.IsNull(tuning) {
		return nil, hint.Errorf("add tuning: [ebs-kernel] to the environment", "the environment has no tuning")
	}
	d := newDecoder(newSource(s.File))
	d.engine = s.engine()
	e := &experiment.Experiment{Environments: make([]experiment.Environment, 1)}
	env := &e.Environments[0]
	d.value(tuning, reflect.ValueOf(&env.Tuning).Elem(), field.Key{}, "tuning")
	if left != nil {
		d.value(left, reflect.ValueOf(&env.Without).Elem(), field.Key{}, "without")
	}
	d.profileFiles(e, dir)
	settings, err := experiment.Tuned(d.engine, *env)
	if d.Err() != nil || err != nil {
		return nil, nil //nolint:nilerr // reported when the tuning is checked
	}
	var parts []string
	for _, setting := range settings {
		if part := setting.Part(by); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if by == "layer" {
		order := knob.Layers()
		slices.SortFunc(parts, func(a, b string) int {
			return slices.Index(order, knob.Layer(a)) - slices.Index(order, knob.Layer(b))
		})
	}
	if len(parts) < 2 {
		return nil, hint.Errorf("use ablate: knob for smaller parts", "the tuning has only one part, %s", strictyaml.Bare(strings.Join(parts, "")))
	}
	return parts, nil
}
