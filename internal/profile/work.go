package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/strictyaml"
)

// Worked is what profiles come to on a machine.
type Worked struct {
	Values   []Value // each knob once
	Missing  []Missing
	Replaced []Replaced
}

// Missing is what a profile requires and does not find.
type Missing struct {
	Profile string
	Requirement
}

// Replaced is a value that gave way to one of a later profile: of the same knob, or of
// one that excludes it.
type Replaced struct {
	Key     knob.Key
	Value   string // as the profile says it: it was not worked out
	Profile string
	By      Value
}

// Work works out profiles, later ones in place of earlier ones, for an engine
// ("postgres", "redis"; "" where there is no server) on a machine. without are layers,
// groups and keys to leave out; one that leaves nothing out is an error.
//
// A value that needs a fact which is not known is not applicable, and says how to come
// by it. An expression that fails, gives no finite number or one that its knob does not
// take, and a value that weakens durability in a profile that does not say unsafe, are
// errors (*strictyaml.Error, all of them).
func Work(engine string, profiles []*Profile, without []string, f Facts) (Worked, error) {
	settings, gone, err := together(profiles)
	if err != nil {
		return Worked{}, err
	}
	settings, err = leave(resolved(engine, settings), without)
	if err != nil {
		return Worked{}, err
	}
	var w Worked
	wrong := &strictyaml.Error{In: "the profile"}
	for _, s := range settings {
		v, err := s.work(f)
		if err != nil {
			wrong.Mistakes = append(wrong.Mistakes, strictyaml.Mistake{Text: err.Error(), Hint: hint.Of(err)})
			continue
		}
		w.Values = append(w.Values, v)
	}
	if len(wrong.Mistakes) > 0 {
		return Worked{}, wrong
	}
	w.Replaced = replaced(gone, w.Values)
	w.Missing, err = missing(profiles, w.Values, f)
	return w, err
}

// together are the settings of several profiles, later ones in place of earlier ones,
// and those that gave way. Within a profile, what it includes is there to be replaced,
// and is no news.
func together(profiles []*Profile) (all []placed, gone []displaced, err error) {
	for _, p := range profiles {
		settings, err := flatten(p, Find, nil)
		if err != nil {
			return nil, nil, err
		}
		merged, away := merge(all, settings)
		all, gone = merged, append(gone, away...)
	}
	return all, gone, nil
}

// work works out one setting.
func (s placed) work(f Facts) (Value, error) {
	if s.err != nil {
		return Value{}, s.err
	}
	v := Value{
		Key: s.Key, Layer: s.knob.Layer, Group: s.Group, Reason: s.Reason,
		Profile: s.from.Name, Source: s.from.Source, NotApplicable: s.foreign,
	}
	if s.foreign != "" {
		return v, nil
	}
	l := newLanguage(f)
	holds, err := condition(s.When, l)
	switch {
	case err != nil:
		return Value{}, fmt.Errorf("cannot tell whether %s applies (when: %s): %w", s.where(), s.When, err)
	case !holds:
		v.NotApplicable = s.Unless
		if v.NotApplicable == "" {
			v.NotApplicable = "only where " + s.When
		}
		return v, nil
	}
	return s.worked(v, l)
}

// worked fills in the value, in the words of the knob.
func (s placed) worked(v Value, l *language) (Value, error) {
	k := s.knob
	v.Value = s.Value
	text, computed := expression(s.Value)
	if computed {
		word, err := evaluate(text, k, l)
		var unknown unknownFact
		if errors.As(err, &unknown) {
			v.Value, v.NotApplicable = "", unknown.Error()
			return v, nil
		}
		if err != nil {
			return Value{}, fmt.Errorf("cannot work out %s = %s: %w%s", s.where(), text, err, within(l))
		}
		v.Value = word
	}
	canonical, err := k.Canonical(v.Value)
	switch {
	case err != nil && computed:
		return Value{}, hint.Errorf(hint.Of(err), "cannot use %s = %s: %w%s", s.where(), text, err, within(l))
	case err != nil:
		return Value{}, err
	case k.Weakens(v.Value) && !s.from.Unsafe:
		return Value{}, hint.Errorf("leave it out, or say unsafe: true where it is declared", "%s weakens durability", assignment(s.Key, v.Value))
	}
	// What a server is told stays as it is written, "30min"; a file takes bare numbers.
	if k.Layer != knob.Server || computed {
		v.Value = canonical
	}
	if numbers := l.numbers(); numbers != "" {
		v.Reason = strings.TrimSpace(v.Reason + " (" + numbers + ")")
	}
	return v, nil
}

// where names a setting in an error: "oltp: shared_buffers".
func (s placed) where() string {
	if s.from.Name == "" {
		return s.Key.String()
	}
	return s.from.Name + ": " + s.Key.String()
}

// within are the numbers that an expression was worked out from, for an error.
func within(l *language) string {
	if numbers := l.numbers(); numbers != "" {
		return " (" + numbers + ")"
	}
	return ""
}

// missing are the requirements that do not hold.
func missing(profiles []*Profile, values []Value, f Facts) ([]Missing, error) {
	l := newLanguage(f)
	l.Tuned = map[string]string{}
	for _, v := range values {
		if v.NotApplicable == "" {
			l.Tuned[v.Key.String()] = v.Value
		}
	}
	var all []Missing
	for _, p := range profiles {
		required, err := requirements(p, Find)
		if err != nil {
			return nil, err
		}
		for _, r := range required {
			holds, err := condition(r.Holds, l)
			if err != nil {
				return nil, fmt.Errorf("cannot tell whether what %s requires is there (%s): %w", r.Profile, r.Holds, err)
			}
			if !holds && !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	return all, nil
}

// replaced are the settings that gave way to one that is among the values in the end.
func replaced(gone []displaced, values []Value) []Replaced {
	var all []Replaced
	for _, d := range gone {
		if i := slices.IndexFunc(values, func(v Value) bool { return v.Key == d.by }); i >= 0 {
			all = append(all, Replaced{d.Key, d.Value, d.from.Name, values[i]})
		}
	}
	return all
}
