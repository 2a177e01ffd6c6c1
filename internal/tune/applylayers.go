package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"plinth/internal/journal"
	"plinth/internal/knob"
)

// setMount remounts a filesystem with more options than it has.
func (a *Applied) setMount(c Change) error {
	m := a.request.Machine
	mount, there, err := mountAt(m, c.Target)
	if err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("nothing is mounted at %s any more", c.Target)
	}
	now, want := splitOptions(mount.Options), splitOptions(c.Then)
	if missingOf(mount.Type, now, want) == nil {
		a.knobs = append(a.knobs, c.recorded(mount.Options, mount.Options))
		return nil
	}
	n := mountChange{Knob: c.Key.String(), MountPoint: c.Target, ID: mount.ID, Was: mount.Options, Set: c.Then, Boot: m.Boot()}
	if err := a.note(mountKind, n); err != nil {
		return err
	}
	if err := remount(m, mount, merged(mount.Type, now, want)); err != nil {
		return err
	}
	if mount, _, err = mountAt(m, c.Target); err != nil {
		return err
	}
	if missing := missingOf(mount.Type, splitOptions(mount.Options), want); missing != nil {
		return fmt.Errorf("a remount of %s changed nothing about %s", c.Target, missing[0])
	}
	a.knobs = append(a.knobs, c.recorded(n.Was, mount.Options))
	return nil
}

// setDomain redefines the domain once, with all values of the plan, at the first of them.
func (a *Applied) setDomain(ctx context.Context, p *Plan, i int) error {
	d := a.request.Domain
	values := map[string]string{}
	var names []string
	for at, c := range p.Changes {
		if k := c.Knob(); k.Scope != knob.OfDomain || c.State != Later {
			continue
		}
		if at < i {
			return nil // it was set along with the first one
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
			return fmt.Errorf("libvirt made %s of it: %s", d.Name(), pairsOf(now, []string{c.Key.Knob}))
		}
		a.knobs = append(a.knobs, c.recorded(was[c.Key.Knob], now[c.Key.Knob]))
	}
	return nil
}

// setServer sets a setting so that it lasts. It is read by the server at the end, once
// for all.
func (a *Applied) setServer(ctx context.Context, c Change) error {
	if c.State == InForce {
		a.knobs = append(a.knobs, c.recorded(c.Now, c.Now))
		return nil
	}
	s := a.request.Server
	before, err := s.Lasting(ctx, c.Key.Knob)
	if err != nil {
		return err
	}
	n := serverChange{Knob: c.Key.Knob, Server: s.Name(), Was: worded(before), Set: c.Then, Before: before}
	if err := a.note(serverKind, n); err != nil {
		return err
	}
	if err := s.Set(ctx, c.Key.Knob, &c.Then); err != nil {
		return err
	}
	a.knobs = append(a.knobs, c.recorded(c.Now, c.Then))
	return nil
}

// patience is how long a server may take to read its settings: PostgreSQL's postmaster
// is told by a signal.
const patience = 5 * time.Second

// reload makes the server read what was set, and waits until it shows it.
func (a *Applied) reload(ctx context.Context, p *Plan) error {
	s := a.request.Server
	if s == nil {
		return nil
	}
	var waiting []Change
	for _, c := range p.Changes {
		if c.Layer == knob.Server && c.State == ToChange {
			waiting = append(waiting, c)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	if err := s.Reload(ctx); err != nil {
		return fmt.Errorf("cannot make the server read its settings: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		c, have, err := notYet(ctx, s, waiting)
		if err != nil || c == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cannot set %s to %s: the server still has %s", c.Key, c.Then, have)
		case <-tick.C:
		}
	}
}

// notYet is a change that the server does not show; nil where it shows all.
func notYet(ctx context.Context, s Server, changes []Change) (*Change, string, error) {
	for _, c := range changes {
		setting, there, err := s.Setting(ctx, c.Key.Knob)
		if err != nil {
			return nil, "", fmt.Errorf("cannot read %s back: %w", c.Key, err)
		}
		if !there {
			return nil, "", fmt.Errorf("the server has no %s any more", c.Key)
		}
		is, err := setting.Same(c.Then)
		if err != nil || !is {
			return &c, setting.Value, err
		}
	}
	return nil, "", nil
}

// placesOf are the files, the mount or the domain of an entry's change, with what was
// there.
func placesOf(e journal.Entry) map[string]string {
	places := map[string]string{}
	switch e.Kind {
	case knobKind:
		var c knobChange
		_ = json.Unmarshal(e.Args, &c) // it was written a moment ago
		for _, f := range append(c.Files, c.Coupled...) {
			places[f.Path] = f.Was
		}
		if c.Partner != nil {
			places[c.Partner.Path] = c.Partner.Was
		}
	case mountKind:
		var c mountChange
		_ = json.Unmarshal(e.Args, &c)
		places[mountPrefix+c.MountPoint] = c.Was
	case domainKind:
		var c domainChange
		_ = json.Unmarshal(e.Args, &c)
		places[domainPrefix+c.Name] = c.XML
	}
	return places
}
