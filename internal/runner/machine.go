package runner

import (
	"context"
	"fmt"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// atOf returns the machine of an environment, as in the experiment file.
func (r *Runner) atOf(name string) string {
	environment := r.environment(name)
	return environment.Machine()
}

// factsOf returns the facts of the baseline's machine, and those of all machines if there are
// several or if plinth was started on another one.
func factsOf(machines []site.Machine, baseline string) (main host.Facts, all map[string]host.Facts) {
	for i, m := range machines {
		if i == 0 || m.At == baseline {
			main = m.Facts
		}
		if m.At == "" && len(machines) == 1 {
			continue
		}
		if all == nil {
			all = map[string]host.Facts{}
		}
		all[m.At] = m.Facts
	}
	return main, all
}

// sameMachines returns an error unless the machines are those on which the experiment began.
func (r *Runner) sameMachines(ctx context.Context, began record.Summary) error {
	machines, err := r.site.Machines(ctx)
	if err != nil {
		return err
	}
	now, all := factsOf(machines, r.atOf(began.Baseline))
	var differences []string
	if len(began.Machines) == 0 {
		differences = began.Machine.Differences(now)
	}
	for at, then := range began.Machines {
		if at == experiment.OnCluster { // its nodes come and go; the environments name those of the servers
			then = host.Facts{OS: then.OS}
			all[at] = host.Facts{OS: all[at].OS}
		}
		for _, difference := range then.Differences(all[at]) {
			differences = append(differences, fmt.Sprintf("%s: %s", at, difference))
		}
	}
	if len(differences) > 0 {
		return &MachineChangedError{differences}
	}
	return nil
}

// machinesApart notes an environment that is not on the machine of the baseline: machines differ in
// more than what plinth reads of them.
func (r *Runner) machinesApart(e experiment.Environment) (record.Note, bool) {
	baseline, at := r.atOf(r.experiment.Baseline), e.Machine()
	if at == baseline {
		return record.Note{}, false
	}
	text := fmt.Sprintf("%s ran on %s, and %s on %s", r.experiment.Baseline, record.MachineName(baseline), e.Name, record.MachineName(at))
	machines := r.book.summary.Machines
	if unlike := machines[baseline].Unlike(machines[at]); len(unlike) > 0 {
		text += ": " + strings.Join(unlike, ", ")
	}
	return record.Note{Rule: "parity-machine", Environment: e.Name, Text: text,
		Hint: "run the same environment on both machines: that shows how far apart they are"}, true
}

// inventoryOf returns the inventory of an environment's machine; nil if it could not be read.
func (r *Runner) inventoryOf(environment string) *host.Inventory {
	for i, of := range r.inventories {
		if of.At == r.atOf(environment) {
			return &r.inventories[i].Inventory
		}
	}
	return nil
}
