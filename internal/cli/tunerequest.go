package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/inspect"
	"plinth/internal/profile"
	"plinth/internal/record"
	"plinth/internal/tune"
	"plinth/internal/tune/libvirt"
)

// tuneRequest is what is to be tuned, worked out on this machine.
type tuneRequest struct {
	request tune.Request
	plan    *tune.Plan
	server  conninfo.Conninfo
	close   func()
}

// lookTuning looks at the machine, the server and the domain, and works out the
// profiles. It changes nothing. Whoever calls closes it.
func (f *tuneFlags) lookTuning(ctx context.Context, names []string, held bool) (*tuneRequest, error) {
	t := &tuneRequest{close: func() {}}
	seen, err := f.look(ctx, t)
	if err != nil {
		return nil, err
	}
	facts := factsOfTuning(seen)
	if err := f.addDisks(&facts, seen.Machine); err != nil {
		return nil, usage(err)
	}
	profiles, err := f.profiles(names, facts.Engine)
	if err != nil {
		return nil, usage(tuneError(err))
	}
	worked, err := f.work(ctx, profiles, facts)
	if err != nil {
		return nil, usage(tuneError(err))
	}
	t.request = tune.Request{Values: worked.Values, Engine: facts.Engine, Targets: targetsOf(seen.Machine, f.domain), Unsafe: f.unsafe || anyUnsafe(profiles), Machine: tune.Kernel{}, Held: held}
	if t.server != "" {
		if t.request.Server, t.close, err = openServer(ctx, t.server, seen); err != nil {
			return nil, usage(err)
		}
	}
	if err := f.make(ctx, t, worked); err != nil {
		t.close()
		return nil, err
	}
	t.plan.Profiles = namesOf(profiles) // as they were asked for: what they include is theirs
	return t, nil
}

// namesOf are the names of profiles; single values have none.
func namesOf(profiles []*profile.Profile) (names []string) {
	for _, p := range profiles {
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	return names
}

// anyUnsafe says whether a profile allows values that weaken durability.
func anyUnsafe(profiles []*profile.Profile) bool {
	for _, p := range profiles {
		if p.Unsafe {
			return true
		}
	}
	return false
}

// make makes the plan, with what the profiles require and is not there.
func (f *tuneFlags) make(ctx context.Context, t *tuneRequest, worked profile.Worked) error {
	if f.domain != "" || f.uri != "" {
		domain, err := libvirt.Find(ctx, launch.NewLocal(), f.uri, f.domain)
		if err != nil {
			return usage(err)
		}
		t.request.Domain, t.request.Targets.Domain = domain, domain.Name()
	}
	plan, err := tune.Make(ctx, t.request)
	if err != nil {
		return usage(err)
	}
	t.plan = plan
	for _, m := range worked.Missing {
		plan.Missing = append(plan.Missing, record.Note{Rule: "missing", Text: m.Profile + ": " + m.Text, Hint: m.Hint})
	}
	return nil
}

// look is what is known of this machine, and of the server where one is named.
func (f *tuneFlags) look(ctx context.Context, t *tuneRequest) (inspect.Inspection, error) {
	places := map[string]string{}
	for role, dir := range map[string]string{"data": f.data, "wal": f.wal} {
		if dir != "" {
			places[role] = dir
		}
	}
	if f.server == "" {
		machine, err := host.ReadInventory(ctx, places)
		return inspect.Inspection{Machine: machine, Taken: time.Now()}, placeError(machine, err)
	}
	target, err := inspect.ParseTarget(f.server)
	switch {
	case err != nil:
		return inspect.Inspection{}, usage(err)
	case target.Server == "":
		return inspect.Inspection{}, usage(hint.Errorf("postgresql://user@host/database, or redis://host:6379; of a directory say --data", "--server: %s is a directory", f.server))
	}
	t.server = target.Server
	seen, err := inspect.Look(ctx, target)
	if err != nil {
		return seen, usage(err)
	}
	for role, dir := range places {
		place, err := host.PlaceOf(role, dir)
		if err != nil {
			return seen, usage(err)
		}
		seen.Machine.Places = append([]host.Place{place}, seen.Machine.Places...)
	}
	return seen, nil
}

// placeError says which directory could not be looked at: what was asked for is no gap.
func placeError(machine host.Inventory, err error) error {
	for _, g := range machine.Gaps {
		if err == nil && g.What == "places" {
			return usage(fmt.Errorf("cannot look at a directory: %s", g.Why))
		}
	}
	return err
}

// pagesFact is the fact that takes a second to be known, so that only those who ask for
// it wait.
const pagesFact = "huge_pages_needed"

// work works out the profiles; where they ask for it after the huge pages that the
// server would need with their values.
func (f *tuneFlags) work(ctx context.Context, profiles []*profile.Profile, facts profile.Facts) (profile.Worked, error) {
	worked, err := profile.Work(facts.Engine, profiles, f.without, facts)
	if err != nil || !asks(profiles, pagesFact) || facts.Engine == "redis" {
		return worked, err
	}
	settings := map[string]string{}
	for name, value := range facts.Settings {
		settings[name] = value
	}
	for _, v := range worked.Values {
		if v.NotApplicable == "" && v.Layer == "server" {
			settings[strings.ToLower(v.Key.Knob)] = v.Value
		}
	}
	var from string
	if facts.HugePagesNeeded, from = hugePages(ctx, facts, settings); facts.HugePagesNeeded == 0 {
		return worked, nil
	}
	worked, err = profile.Work(facts.Engine, profiles, f.without, facts)
	for i := range worked.Values {
		if strings.Contains(worked.Values[i].Reason, pagesFact) {
			worked.Values[i].Reason += "; " + from
		}
	}
	return worked, err
}

// hugePages is how many huge pages a server would need with some settings, and who says
// so.
func hugePages(ctx context.Context, facts profile.Facts, settings map[string]string) (pages int64, from string) {
	changed := false
	for name, value := range settings {
		changed = changed || postgres.Sizes(name) && facts.Settings[name] != value
	}
	if own, err := strconv.ParseInt(facts.Settings["shared_memory_size_in_huge_pages"], 10, 64); err == nil && own > 0 && !changed {
		return own, "huge_pages_needed is the server's own shared_memory_size_in_huge_pages"
	}
	n, err := postgres.HugePagesWith(ctx, facts.Version, settings)
	if err == nil {
		return n, "huge_pages_needed is what postgres -C shared_memory_size_in_huge_pages says with these values"
	}
	buffers := settings["shared_buffers"]
	if buffers == "" {
		buffers = "128MB"
	}
	n, estimate := postgres.HugePagesAbout(buffers, facts.HugePage)
	if estimate != nil {
		return 0, ""
	}
	return n, fmt.Sprintf("huge_pages_needed is an estimate, shared_buffers with 3 %% and 32 MiB on top: %s", err)
}

// asks says whether an expression of a profile names a fact.
func asks(profiles []*profile.Profile, fact string) bool {
	for _, p := range profiles {
		settings, err := p.Flat()
		if err != nil {
			return false // Work has said so
		}
		for _, s := range settings {
			if strings.Contains(s.Value+s.When, fact) {
				return true
			}
		}
	}
	return false
}
