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
	"plinth/internal/strictyaml"
)

// unfoldAblation is the environments of an ablation, by name: the one that is given
// without its tuning, with all of it, and without each part of it; with pairs also
// without each two. It is nil where something is not as it should be.
func (s *source) unfoldAblation(by, name, base *yaml.Node, dir string) []*yaml.Node {
	tuning := strictyaml.Lookup(base, "tuning")
	parts, err := s.partsOf(tuning, strictyaml.Lookup(base, "without"), by.Value, dir)
	if err != nil {
		s.Add(by, hint.Of(err), "ablate: %v", err)
	}
	if len(parts) < 2 {
		return nil
	}
	left := leftOut(parts, by.Value == "pairs")
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
		called := nameWithout(words, taken)
		taken = append(taken, called)
		environments = append(environments, s.Word(called, name), env)
	}
	return environments
}

// leftOut are the parts that the environments of an ablation lack: one in each, and
// with pairs two.
func leftOut(parts []string, pairs bool) [][]string {
	var left [][]string
	for _, part := range parts {
		left = append(left, []string{part})
	}
	for i := 0; pairs && i < len(parts) && len(left) <= field.MaxList; i++ {
		for _, other := range parts[i+1:] {
			left = append(left, []string{parts[i], other})
		}
	}
	return left
}

// nameWithout names an environment after what it lacks: "without-group-commit". Two
// parts that would give one name are told apart by a number.
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

// partsOf are the parts of what an environment tunes, read before the file is. Without
// an error there are at least two; none and no error where the decoder will find what
// is wrong.
func (s *source) partsOf(tuning, left *yaml.Node, by, dir string) ([]string, error) {
	if !slices.Contains([]string{"layer", "group", "knob", "pairs"}, by) {
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
		return nil, nil //nolint:nilerr // told where the tuning is checked
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
