// Package here is the machine that plinth runs on, as a search uses it.
package here

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/record/index"
	"plinth/internal/runner"
	"plinth/internal/runner/site"
	"plinth/internal/runner/stand"
	"plinth/internal/runner/tuning"
	"plinth/internal/search"
	"plinth/internal/search/study"
)

// Machine implements study.Machine.
type Machine struct {
	Options runner.Options // of every experiment: Store is the directory of the records
	View    runner.View
	// Left returns the time that is left of the search.
	Left func() time.Duration
	// Tick is called after each run, and while a dataset is loaded.
	Tick func()

	said map[string]bool // what experiments said of themselves
}

// Scope implements study.Machine.
func (m *Machine) Scope(ctx context.Context, e *experiment.Experiment) (search.Scope, error) {
	facts, inventory, err := tuning.Facts(ctx, e, site.NewLocal().Machine.Look)
	now := map[string]string{"transparent_hugepage": inventory.Memory.THP}
	for _, s := range inventory.Sysctl {
		now[s.Name] = s.Value
	}
	if data, exists := tuning.PlaceOf(inventory, e.Environments[0], experiment.RoleData); exists {
		addQueue(now, data, inventory.Disks)
		addMount(now, data)
	}
	// The queue and the mount of a disk that plinth makes are set when it is made, and environments that share data share them.
	return search.Scope{Facts: facts, Now: now, Disks: e.AllowHost && e.Environments[0].Storage.Data.Directory != ""}, err
}

// addQueue adds the values of the queue of the data's device.
func addQueue(now map[string]string, data host.Place, disks []host.Disk) {
	if data.Device() == "" {
		return
	}
	now["read_ahead_kb@data"] = strconv.FormatInt(data.ReadAhead()>>10, 10)
	for _, d := range disks {
		if d.Name == data.Device() && d.Scheduler != "" {
			now["scheduler@data"] = d.Scheduler
		}
	}
}

// addMount adds the options of the data's mount with which timestamps are written. The kernel shows neither strictatime nor
// nolazytime.
func addMount(now map[string]string, data host.Place) {
	if data.Options == "" {
		return
	}
	access, lazy := "strictatime", "nolazytime"
	for option := range strings.SplitSeq(data.Options, ",") {
		switch option {
		case "noatime", "relatime":
			access = option
		case "lazytime":
			lazy = option
		}
	}
	now["options@data"] = access + "," + lazy
}

// Foresee implements study.Machine.
func (m *Machine) Foresee(ctx context.Context, e *experiment.Experiment) (time.Duration, error) {
	foreseen, err := site.NewLocal().Foresee(ctx, site.Plan{Experiment: e})
	return foreseen.Preview.Total, err
}

// Begun implements study.Machine.
func (m *Machine) Begun(name string) (*record.Record, error) {
	entries, err := index.List(m.Options.Store) // newest first
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name, name+"-") {
			return record.Open(e.Path)
		}
	}
	return nil, nil
}

// Changed implements study.Machine.
func (m *Machine) Changed(ctx context.Context, e *experiment.Experiment, then *record.Record) error {
	_, now, err := tuning.Facts(ctx, e, site.NewLocal().Machine.Look)
	if err != nil {
		return err
	}
	if all := then.Machine.Differences(now.Facts); len(all) > 0 {
		return &runner.MachineChangedError{Differences: all}
	}
	return nil
}

// Run implements study.Machine.
func (m *Machine) Run(ctx context.Context, e *experiment.Experiment, resume *record.Record, once bool) (*record.Record, error) {
	options := m.Options
	options.Experiment, options.Resume, options.Once = e, resume, once
	if resume != nil {
		var err error
		if options.Experiment, options.Warnings, err = decode.Parse("experiment.yaml", resume.ExperimentYAML, "", nil); err != nil {
			return resume, err
		}
	}
	if m.said == nil {
		m.said = map[string]bool{}
	}
	view := &view{View: m.View, of: e.Name, left: m.Left, tick: m.Tick, said: m.said}
	path, failed := runner.Run(ctx, options, view)
	other := errors.As(failed, new(*runner.PutBackError)) || errors.As(failed, new(*runner.MachineChangedError)) || ctx.Err() != nil
	if of := new(site.EnvironmentError); errors.As(failed, &of) && errors.As(of.Err, new(*stand.StartError)) && !other {
		failed = &study.NotStartedError{Environment: of.Environment, Started: view.up(resume), Err: of.Err}
	}
	if path == "" {
		return nil, failed
	}
	rec, err := record.Open(path)
	return rec, errors.Join(failed, err)
}

// Say implements study.Machine.
func (m *Machine) Say(text string) { m.View.Say(text) }

// view shows the runs of an experiment with the time that is left of the search. What an experiment reports of itself, for each
// of its environments, would hide what the search says.
type view struct {
	runner.View
	of      string
	left    func() time.Duration
	tick    func()
	said    map[string]bool
	started []string // the environments whose servers were started
	driven  bool     // a run was begun, so that all of them are up; before, the last one may be starting
}

// up returns the environments whose servers have started, in this session or in an earlier one.
func (v *view) up(resumed *record.Record) []string {
	all := slices.Clone(v.started)
	if !v.driven && len(all) > 0 {
		all = all[:len(all)-1]
	}
	if resumed != nil {
		for i := range resumed.Runs {
			all = append(all, resumed.Runs[i].Environment)
		}
	}
	return all
}

// Say implements runner.View. Of what experiments say, it shows warnings and the changes to the machine with which rounds begin,
// each once.
func (v *view) Say(text string) {
	where, what, changes := strings.Cut(text, " for "+study.Incumbent+": ")
	if changes {
		text = where + " with which rounds begin: " + what
	}
	if (changes || strings.HasPrefix(text, "warning:")) && !v.said[text] {
		v.said[text] = true
		v.View.Say(text)
	}
}

// Status implements runner.View.
func (v *view) Status(s runner.Status) {
	switch s.Step {
	case "starting":
		v.started = append(v.started, s.Environment)
	case "driving":
		v.driven = true
	case "loading": // a large dataset may take longer than a run
		v.tick()
	}
	if s.Run == 0 && s.Step == "starting" && len(v.started) > 1 {
		return
	}
	if s.Ended {
		v.tick()
	}
	s.Environment, s.Left = strings.TrimSuffix(v.of+", "+s.Environment, ", "), v.left()
	v.View.Status(s)
}
