package tune

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/profile"
)

// Make plans a request: for each value, what is set now, and whether and how it can be set here.
// It changes nothing. It returns an error for a request that is invalid on any machine: an
// unknown knob, or a value out of its range.
func Make(ctx context.Context, r Request) (*Plan, error) {
	p := &Plan{}
	for _, v := range r.Values {
		if v.Profile != "" && !slices.Contains(p.Profiles, v.Profile) {
			p.Profiles = append(p.Profiles, v.Profile)
		}
	}
	domain, err := r.domainValues(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range r.Values {
		c, err := r.change(ctx, v, domain)
		if err != nil {
			return nil, err
		}
		p.Changes = append(p.Changes, c)
	}
	inOrder(p.Changes)
	if err := r.twice(p.Changes); err != nil {
		return nil, err
	}
	if err := r.addConflicts(ctx, p); err != nil {
		return nil, err
	}
	return p, nil
}

// change plans one value.
func (r Request) change(ctx context.Context, v profile.Value, domain map[string]string) (Change, error) {
	k, err := knob.Resolve(r.Engine, v.Key)
	if err != nil {
		return Change{}, err
	}
	c := Change{Layer: k.Layer, Key: v.Key, Then: v.Value, State: ToChange, Needs: k.Needs,
		Risk: k.Risk, Reason: v.Reason, Group: v.Group, From: v.Profile, Source: v.Source}
	if k.Layer != knob.Server {
		c.knob = &k
	}
	if c.Source.Title == "" {
		c.Source = k.Source
	}
	if v.NotApplicable != "" {
		c.State, c.Problem = NotApplicable, v.NotApplicable
		return c, nil
	}
	canonical, err := k.Canonical(v.Value)
	if err != nil {
		return Change{}, err
	}
	if k.Layer == knob.Pod {
		c.notApplicable("only a server on Kubernetes has a pod")
		return c, nil
	}
	if secret(v.Key.Knob) {
		c.cannot("it is a secret, which a journal would store", "set it by hand")
		return c, nil
	}
	t, err := r.targetOf(k, v.Key.On)
	if err != nil {
		return Change{}, err
	}
	c.Target, c.Files = t.name, t.files
	// The plan keeps the user's spelling of a server setting.
	if k.Layer != knob.Server {
		c.Then = canonical
	}
	return c, r.look(ctx, k, &c, domain)
}

// look finds the current value, and whether it can be changed.
func (r Request) look(ctx context.Context, k knob.Knob, c *Change, domain map[string]string) error {
	switch {
	case k.Layer == knob.Server:
		return r.lookServer(ctx, c)
	case k.Scope == knob.OfDomain:
		r.lookDomain(k, c, domain)
		return nil
	case k.Scope == knob.OfMount:
		return r.lookMount(c)
	case heldOnly(k):
		r.lookHeld(k, c)
		return nil
	}
	return r.lookFiles(k, c)
}

func (c *Change) cannot(problem, hint string) {
	c.State, c.Problem, c.Hint = Cannot, problem, hint
}

func (c *Change) notApplicable(problem string) { c.State, c.Problem = NotApplicable, problem }

// secret reports whether a setting must never appear in a journal, a record or a plan.
func secret(name string) bool {
	return slices.Contains([]string{"requirepass", "masterauth", "masteruser", "primary_conninfo",
		"tls-key-file-pass", "tls-client-key-file-pass", "ssl_passphrase_command"}, name)
}

// inOrder sorts changes into the order in which they are applied: by layer, with a knob that
// changes others before those. Otherwise they keep their order.
func inOrder(changes []Change) {
	layers := knob.Layers()
	slices.SortStableFunc(changes, func(a, b Change) int {
		if n := slices.Index(layers, a.Layer) - slices.Index(layers, b.Layer); n != 0 {
			return n
		}
		return first(b) - first(a)
	})
}

func first(c Change) int {
	if k := c.Knob(); len(k.Coupled) > 0 && k.Excludes == "" {
		return 1
	}
	return 0
}

// twice returns an error if two keys set the same place to different values: data and wal on one
// disk.
func (r Request) twice(changes []Change) error {
	seen := map[string]Change{}
	for _, c := range changes {
		if c.State == NotApplicable || c.State == Cannot {
			continue
		}
		for _, place := range c.places() {
			other, there := seen[place]
			if there && !same(c.Key.String(), other.Then, c.Then) {
				return hint.Errorf("leave one of them out, or give both the same value",
					"cannot set %s to %s and %s to %s: both are %s", other.Key, other.Then, c.Key, c.Then, strings.TrimPrefix(place, other.Key.Knob+" "))
			}
			seen[place] = c
		}
	}
	return nil
}

// places returns what a change writes: of two changes to one place, each would undo the other.
func (c Change) places() []string {
	if len(c.Files) > 0 {
		return c.Files
	}
	if c.Layer == knob.Mount {
		return nil // options of two keys are combined
	}
	return []string{fmt.Sprintf("%s %s", c.Key.Knob, c.Target)}
}
