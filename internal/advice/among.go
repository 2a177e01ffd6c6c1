package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/cost"
	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// filters hold the conditions of rules: each returns why a row is left out, or "", and whether the interval
// leaves that open.
var filters = map[string]func(s *study, r cost.Row) (why string, maybe bool){
	"budget": withinBudget, "p99": withinP99, "managed": managed, "host": survivesHost, "zone": survivesZone,
}

func withinBudget(s *study, r cost.Row) (string, bool) {
	switch {
	case !r.Month.Known():
		return "its cost is not known", false
	case float64(r.Month) > s.Budget:
		return "over the budget", false
	}
	return "", false
}

func withinP99(s *study, r cost.Row) (string, bool) {
	limit := float64(s.P99)
	switch {
	case !r.P99.Known():
		return "its p99 is not known", false
	case r.P99.Low > limit && r.P99.Level > 0:
		return "its p99 is longer", false
	case r.P99.Low > limit:
		return fmt.Sprintf("its p99 is longer in %s, too few to decide", unit.Count(r.P99.N, "block")), true
	case r.P99.Value > limit:
		return "its p99 is longer on average, and its interval reaches the limit", true
	case r.P99.High > limit:
		return "its p99 may be longer", true
	}
	return "", false
}

// managed accepts existing and imported servers that a managed service runs.
func managed(s *study, r cost.Row) (string, bool) {
	env, made := s.environment(r.Environment), s.Record.Environments[r.Environment]
	kind := env.InstanceName()
	service := s.Experiment.CostOf(env).Service != "" || strings.HasPrefix(kind, "db.") || strings.HasPrefix(kind, "cache.") || env.Facts["service"] != ""
	switch {
	case made.Kind != "connected" && made.Kind != record.BasisImported:
		return "plinth runs it itself", false
	case !service:
		return "the record does not say that it is a managed service (cost.service, facts.service or an instance db.*)", false
	}
	return "", false
}

// outlives lists the statements of the catalog of devices under which data survives the loss of the host that
// runs the server: a volume in the network can be attached to another one.
var outlives = map[string]bool{"server": true, "host": true, "two hosts": true}

// stated is the fact by which an experiment file says what an environment survives.
const stated = "survives"

func survivesHost(s *study, r cost.Row) (string, bool) {
	env, made := s.environment(r.Environment), s.Record.Environments[r.Environment]
	if f := env.Facts[stated]; f == "host" || f == "zone" {
		return "", false
	}
	if made.Replica != nil || s.movedNodes(r.Environment) {
		return "", false
	}
	known, open := false, ""
	for _, v := range made.Volumes {
		name := modelOf(v)
		if v.Role == experiment.RoleTemp { // temporary files need not survive
			continue
		}
		if name == "" {
			open = cmp.Or(open, v.Role)
			continue
		}
		known = true
		entry, err := device.Find(name)
		if err != nil {
			return v.Role + ": what the model " + name + " survives is not known", false
		}
		if !outlives[entry.Survives] {
			return fmt.Sprintf("its %s is on %s, which is not known to outlive its host, and it has no replica", v.Role, name), false
		}
	}
	if k := made.Kubernetes; !known && k != nil && k.Instances > 1 {
		return "its replicas are not known to be on other nodes: no fault moved the primary to another one", false
	}
	switch {
	case !known:
		return "its storage is not known (is:, or facts: {survives: host})", false
	case open != "":
		return "the storage of its " + open + " is not known (is:, or facts: {survives: host})", false
	}
	return "", false
}

// movedNodes reports whether, after a fault, the primary ran on another node of Kubernetes.
func (s *study) movedNodes(environment string) bool {
	return slices.ContainsFunc(s.Record.Summary.Durability[environment].Injections, func(i record.Injection) bool {
		return i.TookOver() && i.Primary.Before.Node != i.Primary.After.Node
	})
}

// modelOf returns the name of the model of a volume's disks; "" if it is not known.
func modelOf(v record.Volume) string {
	d, _ := v.Model()
	return d.Member().Name
}

// survivals describes the faults that were injected into an environment.
func (s *study) survivals(environment string) []string {
	var all []string
	for _, d := range s.Record.Summary.Survivals("", []string{environment}) {
		text := fmt.Sprintf("%s: %d of %d acknowledged writes lost in %s", d.FaultName(), d.Lost(), d.Acknowledged(), unit.Count(len(d.Injections), "fault"))
		if took := max(d.Answered(), d.Median(func(i record.Injection) float64 { return i.Outage })); took > 0 {
			text += fmt.Sprintf("; answered again after %.1f s", took)
		}
		if d.Recover == "promote" {
			text += ", by its replica"
		}
		if why := d.Broke(); why != "" {
			text += "; it did not come back: " + why
		}
		all = append(all, text)
	}
	return all
}
