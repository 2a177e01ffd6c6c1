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

// Worked holds the results of evaluating profiles for a machine.
type Worked struct {
	Values   []Value // each knob once
	Missing  []Missing
	Replaced []Replaced
}

// Missing is a requirement of a profile that does not hold.
type Missing struct {
	Profile string
	Requirement
}

// Replaced is a value that was replaced by one of a later profile, of the same knob or of a
// knob that excludes it.
type Replaced struct {
	Key     knob.Key
	Value   string // as written in the profile: it was not evaluated
	Profile string
	By      Value
}

// Work evaluates profiles, later ones replacing earlier ones, for an engine ("postgres",
// "redis"; "" without a server) and the facts of a machine. without lists layers, groups and
// keys to leave out; a name that matches nothing is an error.
//
// A value that needs an unknown fact is not applicable, and says how to obtain the fact. An
// expression that fails, gives no finite number or a value that its knob does not accept, and
// a value that weakens durability in a profile without unsafe, are errors: one
// *strictyaml.Error lists them all.
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

// together returns the settings of several profiles, later ones replacing earlier ones, and
// the replaced ones. It omits those that a profile replaces among its own includes, since
// they are meant to be replaced.
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

// work evaluates one setting.
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
		return Value{}, fmt.Errorf("cannot check whether %s applies (when: %s): %w", s.where(), s.When, err)
	case !holds:
		v.NotApplicable = s.Unless
		if v.NotApplicable == "" {
			v.NotApplicable = "only where " + s.When
		}
		return v, nil
	}
	return s.worked(v, l)
}

// worked fills in the value, in the knob's format.
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
			return Value{}, fmt.Errorf("cannot compute %s = %s: %w%s", s.where(), text, err, within(l))
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
		return Value{}, hint.Errorf("leave it out, or set unsafe: true where it is declared", "%s weakens durability", assignment(s.Key, v.Value))
	}
	// A server accepts the value as written, "30min"; a file needs bare numbers.
	if k.Layer != knob.Server || computed {
		v.Value = canonical
	}
	if numbers := l.numbers(); numbers != "" {
		v.Reason = strings.TrimSpace(v.Reason + " (" + numbers + ")")
	}
	return v, nil
}

// where identifies a setting in an error: "oltp: shared_buffers".
func (s placed) where() string {
	if s.from.Name == "" {
		return s.Key.String()
	}
	return s.from.Name + ": " + s.Key.String()
}

// within formats the numbers that an expression used, for an error.
func within(l *language) string {
	if numbers := l.numbers(); numbers != "" {
		return " (" + numbers + ")"
	}
	return ""
}

// missing returns the requirements that do not hold.
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
				return nil, fmt.Errorf("cannot check a requirement of %s (%s): %w", r.Profile, r.Holds, err)
			}
			if !holds && !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	return all, nil
}

// replaced returns the settings that were replaced by one of the final values.
func replaced(gone []displaced, values []Value) []Replaced {
	var all []Replaced
	for _, d := range gone {
		if i := slices.IndexFunc(values, func(v Value) bool { return v.Key == d.by }); i >= 0 {
			all = append(all, Replaced{d.Key, d.Value, d.from.Name, values[i]})
		}
	}
	return all
}
