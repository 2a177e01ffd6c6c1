package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/record"
)

// Domain is a virtual machine as defined in libvirt. Changes take effect at its next start.
type Domain interface {
	Name() string
	// Values returns the values by knob name: "vcpupin": "0=8,1=9", "numatune": "strict 1".
	Values(ctx context.Context) (map[string]string, error)
	// Set redefines the domain once, with all of the values.
	Set(ctx context.Context, values map[string]string) error
	// Put restores an earlier definition.
	Put(ctx context.Context, xml string) error
	// XML returns the persistent (inactive) definition.
	XML(ctx context.Context) (string, error)
}

// Adviser is a domain that checks values before they are set: a guest that does not fit into its
// NUMA node, CPUs that do not exist, a running domain. The error says why the values cannot be
// set at all.
type Adviser interface {
	Advice(ctx context.Context, values map[string]string) ([]record.Note, error)
}

// domainAdvice adds the domain's notes on its values to the conflicts.
func (r Request) domainAdvice(ctx context.Context, p *Plan) {
	adviser, can := r.Domain.(Adviser)
	if !can {
		return
	}
	values := map[string]string{}
	var changes []*Change
	for i := range p.Changes {
		c := &p.Changes[i]
		if k := c.Knob(); k.Scope == knob.OfDomain && c.State == Later {
			values[k.Name] = c.Then
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		return
	}
	notes, err := adviser.Advice(ctx, values)
	if err != nil {
		for _, c := range changes {
			c.cannot(err.Error(), hint.Of(err))
		}
	}
	p.Conflicts = append(p.Conflicts, notes...)
}

// undoDomain restores a domain's definition, unless another process has changed it since.
func (u *undo) undoDomain(ctx context.Context, args json.RawMessage) error {
	var c domainChange
	if err := json.Unmarshal(args, &c); err != nil {
		return err
	}
	d := u.domains[c.Name]
	if d == nil {
		return hint.Errorf("name the domain with --domain, and the URI of its libvirt with --libvirt",
			"cannot restore %s: plinth has no connection to it", c.Knob)
	}
	xml, err := d.XML(ctx)
	if err != nil || xml == c.XML {
		return err
	}
	ours, err := u.oursDomain(ctx, d, c)
	if err != nil {
		return err
	}
	if !ours {
		return hint.Wrap(&TheirsError{c.Knob, c.Name, c.Was, c.Set, "another definition"}, adoptHint)
	}
	if err := d.Put(ctx, c.XML); err != nil {
		return err
	}
	if xml, err = d.XML(ctx); err == nil && xml != c.XML {
		err = fmt.Errorf("cannot restore %s: its definition still differs from the earlier one", c.Knob)
	}
	return err
}

// oursDomain reports whether a definition is the one that plinth left. If plinth died before it
// recorded that, the definition counts as plinth's when it has the values that were set.
func (u *undo) oursDomain(ctx context.Context, d Domain, c domainChange) (bool, error) {
	if _, theirs := u.theirs[domainPrefix+c.Name]; u.known {
		return !theirs, nil
	}
	now, err := d.Values(ctx)
	for name, value := range c.Values {
		if !same(name, now[name], value) {
			return false, err
		}
	}
	return true, err
}

// Prefixes of mounts and domains in the places that an apply left; other places are file paths.
const (
	domainPrefix = "domain "
	mountPrefix  = "mount "
)

// pairsOf formats values, sorted by name: "numatune strict 1, vcpupin 0=8".
func pairsOf(values map[string]string, of []string) string {
	text := ""
	for _, name := range slices.Sorted(slices.Values(of)) {
		if text != "" {
			text += ", "
		}
		value := values[name]
		if value == "" {
			value = "not set"
		}
		text += name + " " + value
	}
	return text
}

// domainValues returns the domain's values; nil without a domain.
func (r Request) domainValues(ctx context.Context) (map[string]string, error) {
	if r.Domain == nil {
		return nil, nil
	}
	values, err := r.Domain.Values(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot read the domain %s: %w", r.Domain.Name(), err)
	}
	return values, nil
}

// lookDomain compares a change with the domain's definition.
func (r Request) lookDomain(k knob.Knob, c *Change, values map[string]string) {
	switch {
	case r.Domain == nil:
		c.notApplicable("no libvirt domain is given")
		c.Hint = "give one with --domain"
		return
	case c.Target != r.Domain.Name():
		c.notApplicable(fmt.Sprintf("the given domain is %s", r.Domain.Name()))
		return
	}
	c.Now = values[k.Name]
	if same(k.Name, c.Now, c.Then) {
		c.State = InForce
		return
	}
	c.State, c.Needs = Later, knob.Reboot
}

// setDomain redefines the domain once, at the first domain change, with all values of the plan.
func (a *Applied) setDomain(ctx context.Context, p *Plan, i int) error {
	d := a.request.Domain
	values := map[string]string{}
	var names []string
	for at, c := range p.Changes {
		if k := c.Knob(); k.Scope != knob.OfDomain || c.State != Later {
			continue
		}
		if at < i {
			return nil // set along with the first one
		}
		values[c.Key.Knob] = c.Then
		names = append(names, c.Key.Knob)
	}
	if len(values) == 0 {
		return nil
	}
	xml, err := d.XML(ctx)
	if err != nil {
		return err
	}
	was, err := d.Values(ctx)
	if err != nil {
		return err
	}
	n := domainChange{Knob: domainPrefix + d.Name(), Name: d.Name(), XML: xml, Values: values,
		Was: pairsOf(was, names), Set: pairsOf(values, names)}
	if err := a.note(domainKind, n); err != nil {
		return err
	}
	if err := d.Set(ctx, values); err != nil {
		return err
	}
	now, err := d.Values(ctx)
	if err != nil {
		return err
	}
	for _, c := range p.Changes {
		value, set := values[c.Key.Knob]
		if !set || c.State != Later {
			continue
		}
		if !same(c.Key.Knob, now[c.Key.Knob], value) {
			return fmt.Errorf("libvirt changed the definition of %s: it has %s", d.Name(), pairsOf(now, []string{c.Key.Knob}))
		}
		a.knobs = append(a.knobs, c.recorded(was[c.Key.Knob], now[c.Key.Knob]))
	}
	return nil
}
