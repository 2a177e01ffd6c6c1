package tuning

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plinth/internal/cli/base"
	"plinth/internal/conninfo"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/inspect"
	"plinth/internal/profile"
	"plinth/internal/record"
	"plinth/internal/tune"
	"plinth/internal/tune/libvirt"
)

// tuneRequest is a request for this machine, with its plan.
type tuneRequest struct {
	request tune.Request
	plan    *tune.Plan
	server  conninfo.Conninfo
	close   func()
}

// lookTuning reads the machine, the server and the domain, and evaluates the profiles. It changes
// nothing. The caller must call close.
func (f *tuneFlags) lookTuning(ctx context.Context, names []string, held bool) (*tuneRequest, error) {
	t := &tuneRequest{close: func() {}}
	seen, err := f.look(ctx, t)
	if err != nil {
		return nil, err
	}
	facts := factsOfTuning(seen)
	if err := f.addDisks(&facts, seen.Machine); err != nil {
		return nil, base.Usage(err)
	}
	profiles, err := f.profiles(names, facts.Engine)
	if err != nil {
		return nil, base.Usage(tuneError(err))
	}
	worked, err := f.work(ctx, profiles, facts)
	if err != nil {
		return nil, base.Usage(tuneError(err))
	}
	unsafe := func(p *profile.Profile) bool { return p.Unsafe }
	t.request = tune.Request{Values: worked.Values, Engine: facts.Engine, Targets: targetsOf(seen.Machine, f.domain), Unsafe: f.unsafe || slices.ContainsFunc(profiles, unsafe), Machine: tune.Kernel{}, Held: held,
		Standby: seen.Server != nil && seen.Server.Standby}
	if t.server != "" {
		if t.request.Server, t.close, err = openServer(ctx, t.server, seen); err != nil {
			return nil, base.Usage(err)
		}
	}
	if err := f.make(ctx, t, worked); err != nil {
		t.close()
		return nil, err
	}
	t.plan.Profiles = []string{}
	for _, p := range profiles { // only the requested ones, not those that they include
		if p.Name != "" { // single values have no name
			t.plan.Profiles = append(t.plan.Profiles, p.Name)
		}
	}
	return t, nil
}

// look reads the facts of this machine, and of the server if one is named.
func (f *tuneFlags) look(ctx context.Context, t *tuneRequest) (inspect.Inspection, error) {
	places := map[string]string{}
	for role, dir := range map[string]string{"data": f.data, "wal": f.wal} {
		if dir != "" {
			places[role] = dir
		}
	}
	if f.server == "" {
		machine, err := host.ReadInventory(ctx, places)
		for _, g := range machine.Gaps {
			if err == nil && g.What == "places" { // an explicit request must not become a gap
				err = base.Usage(fmt.Errorf("cannot examine a directory: %s", g.Why))
			}
		}
		return inspect.Inspection{Machine: machine, Taken: time.Now()}, err
	}
	target, err := inspect.ParseTarget(f.server)
	switch {
	case err != nil:
		return inspect.Inspection{}, base.Usage(err)
	case target.Server == "":
		return inspect.Inspection{}, base.Usage(hint.Errorf("use postgresql://user@host/database or redis://host:6379; for a directory, use --data", "--server: %s is a directory", f.server))
	}
	t.server = target.Server
	seen, err := inspect.Look(ctx, target)
	if err != nil {
		return seen, base.Usage(err)
	}
	for role, dir := range places {
		place, err := host.PlaceOf(role, dir)
		if err != nil {
			return seen, base.Usage(err)
		}
		seen.Machine.Places = append([]host.Place{place}, seen.Machine.Places...)
	}
	return seen, nil
}

// make plans the request, and notes unmet requirements of the profiles.
func (f *tuneFlags) make(ctx context.Context, t *tuneRequest, worked profile.Worked) error {
	if f.domain != "" || f.uri != "" {
		domain, err := libvirt.Find(ctx, launch.NewLocal(), f.uri, f.domain)
		if err != nil {
			return base.Usage(err)
		}
		t.request.Domain, t.request.Targets.Domain = domain, domain.Name()
	}
	plan, err := tune.Make(ctx, t.request)
	if err != nil {
		return base.Usage(err)
	}
	t.plan = plan
	for _, m := range worked.Missing {
		plan.Missing = append(plan.Missing, record.Note{Rule: "missing", Text: m.Profile + ": " + m.Text, Hint: m.Hint})
	}
	return nil
}

// targetsOf maps roles to disks and mounts of this machine. If the WAL is on the data's disk or
// mount, the wal role has none.
func targetsOf(machine host.Inventory, domain string) tune.Targets {
	t := tune.Targets{Devices: map[string]string{}, Mounts: map[string]string{}, Domain: domain}
	for _, role := range []string{"data", "wal"} {
		place, known := placeOf(machine, role)
		if !known {
			continue
		}
		if name := place.Device(); name != "" && name != t.Devices["data"] {
			t.Devices[role] = name
		}
		if f, err := host.FilesystemOf(place.Path); err == nil && f.MountPoint != t.Mounts["data"] {
			t.Mounts[role] = f.MountPoint
		}
	}
	return t
}

// placeOf returns the place of a role; a WAL without a separate place is with the data.
func placeOf(machine host.Inventory, role string) (host.Place, bool) {
	for _, wanted := range []string{role, "data"} {
		for _, p := range machine.Places {
			if p.Role == wanted {
				return p, true
			}
		}
	}
	return host.Place{}, false
}
