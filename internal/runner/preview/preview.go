// Package preview predicts, before anything is created, what an experiment needs on this
// machine: memory, disk space and time. It also finds what would stop the experiment, and
// lists the commands with which an administrator would set up its environments by hand.
package preview

import (
	"fmt"
	"slices"
	"time"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/hosttuning"
	"plinth/internal/runner/tuning"
	"plinth/internal/volume"
)

// memoryShare is the share of the available memory that servers side by side may fill. Above it
// their datasets would evict each other from the page cache, and idle servers would no longer
// be idle.
const memoryShare = 0.6

// betweenRuns is the time for a reset, two checkpoints and the start of the load generator on
// an idle server. Only the first estimate depends on it.
const betweenRuns = 150 * time.Millisecond

// Preview holds what an experiment will need and take, computed before anything is created.
type Preview struct {
	Schedule  experiment.Schedule
	Runs      int
	Needs     []EnvironmentNeeds
	Disks     []DiskNeed
	Memory    int64 // bytes that the servers that run at the same time keep in use
	Available int64 // bytes of memory available now

	SharedMemory int64 // the part of Memory without which those servers do not start
	Unlimited    int64 // bytes of memory available on the machine, where plinth itself may use less

	SideBySide bool
	Sharing    bool                 // environments share the data of others
	Switches   int                  // between servers, if not side by side
	SwitchTime time.Duration        // of all switches
	LoadTime   time.Duration        // loading the datasets
	RunTime    time.Duration        // one run with its preparation; 0 if unknown
	Total      time.Duration        // 0 if unknown: the duration of a number of transactions is not predictable
	Tuned      []tuning.Environment // environments with any tuning, in order
	LeftOut    []record.LeftOut     // environments that are not measured
	Differs    bool                 // environments want different host tuning, so servers are switched
	Bursts     []string             // what will end during each load, a line each
	Warnings   []experiment.Warning
	Claims     []volume.Claim // disks that nothing else may use

	short error // the first volume that is too small for its content
}

// EnvironmentNeeds holds what one environment needs. The needs of an existing server on this
// machine are unknown.
type EnvironmentNeeds struct {
	Name      string
	Connected bool
	engine.Needs
}

// NewFitted is like New, but with dataset.fit it first halves the experiment's scale until the
// volumes can hold it, and adds a warning.
func NewFitted(e *experiment.Experiment, g *hosttuning.Host) (Preview, error) {
	p, err := New(e, g, false)
	if err != nil || !e.Dataset.Fit {
		return p, err
	}
	wanted := e.Dataset.Scale
	for e.Dataset.Scale > 1 && p.TooSmall() != nil {
		e.Dataset.Scale /= 2
		if p, err = New(e, g, false); err != nil {
			return p, err
		}
	}
	if e.Dataset.Scale != wanted {
		p.Fitted(wanted, e.Dataset.Scale)
	}
	return p, nil
}

// Fitted warns that the scale is smaller than the one that was wanted. It replaces an earlier warning.
func (p *Preview) Fitted(wanted, scale int) {
	warning := experiment.Warning{Rule: "smaller-dataset", Text: fmt.Sprintf("scale %d instead of %d: a volume is too small for more", scale, wanted)}
	p.Warnings = append(slices.DeleteFunc(p.Warnings, func(w experiment.Warning) bool { return w.Rule == warning.Rule }), warning)
}

// New predicts the needs of an experiment on this machine. Apart says that one server runs at a
// time even if there is memory for all of them.
func New(e *experiment.Experiment, g *hosttuning.Host, apart bool) (Preview, error) {
	p := Preview{Schedule: e.Schedule(), Warnings: unlikePaths(e), Claims: volume.Claims(e.WithOwnData())}
	var err error
	if p.Available, err = host.AvailableMemory(); err != nil {
		return p, err
	}
	if p.Unlimited, err = host.UnlimitedMemory(); err != nil {
		return p, err
	}
	for _, environment := range e.Environments {
		n := EnvironmentNeeds{Name: environment.Name, Connected: engines.Connected(environment)}
		if n.Needs, err = engines.NeedsOf(e, environment); err != nil {
			return p, err
		}
		if environment.DataOf != "" {
			p.Sharing, n.LoadTime = true, 0
		} else if !n.Connected && !environment.Kubernetes.There() {
			if err := engines.Widen(e, environment, n.Volumes); err != nil {
				return p, err
			}
			if err := p.addDisks(environment.Parts(), n); err != nil {
				return p, fmt.Errorf("environment %s: %w", environment.Name, err)
			}
		}
		if environment.Kubernetes.There() { // it uses neither the memory nor the disks of this machine
			n.Connected, n.Memory, n.SharedMemory = true, 0, 0
		}
		p.Needs = append(p.Needs, n)
		p.Memory += n.Memory
		p.SharedMemory += n.SharedMemory
		p.LoadTime += n.LoadTime
	}
	// The caches of drop and prewarm are those after a switch of servers.
	switched := e.Caches == experiment.CachesDrop || e.Caches == experiment.CachesPrewarm
	p.arrange(g.SameForAll(e), apart || p.Sharing || switched, g)
	p.warnOfCaches(e.Caches, switched)
	p.estimate(e)
	p.addBursts(e)
	return p, nil
}

// warnOfCaches warns that the caches stay as they are where servers are not switched.
func (p *Preview) warnOfCaches(caches string, switched bool) {
	if switched && p.SideBySide {
		p.Warnings = append(p.Warnings, experiment.Warning{Rule: "caches-kept", Text: "caches: " + caches + " has no effect: plinth does not stop the server between runs",
			Hint: "add a second environment, even with the same settings, so that plinth switches servers"})
	}
}

// arrange decides whether the servers run side by side. A single server always does. If
// environments want different host tuning, one server runs at a time.
func (p *Preview) arrange(oneMachine, apart bool, g *hosttuning.Host) {
	own := 0
	for _, needs := range p.Needs {
		if !needs.Connected {
			own++
		}
	}
	p.Differs = !oneMachine
	p.SideBySide = oneMachine && (own <= 1 || !apart && float64(p.Memory) <= memoryShare*float64(p.Available))
	if p.SideBySide {
		return
	}
	p.Memory, p.SharedMemory = 0, 0
	for _, needs := range p.Needs {
		p.Memory, p.SharedMemory = max(p.Memory, needs.Memory), max(p.SharedMemory, needs.SharedMemory)
	}
	at := ""
	for _, slots := range p.Schedule {
		for _, slot := range slots {
			if slot.Environment != at {
				p.Switches++
				p.SwitchTime += p.needs(slot.Environment).SwitchTime
				if g.Differs(at, slot.Environment) {
					p.SwitchTime += hosttuning.SyncTime
				}
			}
			at = slot.Environment
		}
	}
}

func (p *Preview) needs(environment string) engine.Needs {
	for _, needs := range p.Needs {
		if needs.Name == environment {
			return needs.Needs
		}
	}
	return engine.Needs{}
}

func (p *Preview) estimate(e *experiment.Experiment) {
	p.Runs = p.Schedule.Runs()
	if e.Duration == 0 {
		return
	}
	p.RunTime = e.Warmup.Std() + e.Duration.Std() + e.Settle.Std() + betweenRuns + proving(e)
	runs := p.RunTime
	if e.Reset == "reload" {
		runs += p.LoadTime / time.Duration(max(1, len(e.WithOwnData())))
	}
	if e.Dataset.Reload == "repeat" {
		p.LoadTime *= time.Duration(e.Repeats)
	}
	p.Total = p.LoadTime + making(e) + p.SwitchTime + time.Duration(p.Runs)*runs + injecting(e)
}
