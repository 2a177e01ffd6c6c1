package advice

import (
	"fmt"
	"regexp"
	"strings"

	"plinth/internal/cost"
	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// The facts by which an experiment file says in which zones the servers of an environment are. plinth cannot
// read that: its own replicas run beside their server, and stand for one elsewhere.
const (
	zoneFact    = "zone"
	standbyFact = "standby_zone"
)

// multiAZ matches labels of Amazon RDS for a server with a synchronous standby in another zone.
var multiAZ = regexp.MustCompile(`(?i)\bmulti[- ]?az\b`)

// The sources of what is said about zones.
const (
	guideEBS    = "Amazon EBS User Guide: an EBS volume is replicated within its Availability Zone"
	guideRDS    = "Amazon RDS User Guide: the standby of a Multi-AZ DB instance deployment is synchronous, and in another Availability Zone"
	guideAurora = "Amazon Aurora User Guide: its storage has copies in three Availability Zones"
)

func survivesZone(s *study, r cost.Row) (string, bool) {
	survives, because := s.zone(r.Environment)
	if survives {
		return "", false
	}
	return because, false
}

// zone reports whether the data of an environment is known to survive the loss of a zone, and why, or why not.
func (s *study) zone(environment string) (survives bool, because string) {
	env, made := s.environment(environment), s.Record.Environments[environment]
	here, there := env.Facts[zoneFact], env.Facts[standbyFact]
	switch {
	case env.Facts[stated] == "zone":
		return true, "the experiment says that it survives the loss of a zone (facts.survives)"
	case strings.HasPrefix(s.Experiment.CostOf(env).Service, "aurora"):
		return true, "its storage is Aurora's (" + guideAurora + ")"
	case multiAZ.MatchString(env.Label):
		return true, "its label says Multi-AZ (" + guideRDS + ")"
	case here != "" && here == there:
		return false, "its standby is in the same zone, " + here + " (facts)"
	case here != "" && there != "" && synchronous(made):
		return true, fmt.Sprintf("commits wait for its standby in zone %s, and the server is in zone %s (facts)", there, here)
	case here != "" && there != "":
		return false, "its standby is in another zone, but commits are not known to wait for it"
	case made.Replica != nil:
		return false, "whether its replica would be in another zone is not known (facts: {zone: a, standby_zone: b})"
	}
	for _, v := range made.Volumes {
		if text := inOneZone(v); text != "" && v.Role != experiment.RoleTemp { // temporary files need not survive
			return false, text
		}
	}
	return false, "its zones are not known (facts: {survives: zone}, or {zone: a, standby_zone: b})"
}

// inOneZone says that a volume is in one zone; "" if that is not known.
func inOneZone(v record.Volume) string {
	for _, r := range v.Remote {
		if r.Product == "Amazon EBS" || r.Product == "Google Persistent Disk" {
			return fmt.Sprintf("its %s is on %s: %s", v.Role, r.Product, r.Durability())
		}
	}
	name := modelOf(v)
	entry, err := device.Find(name)
	switch {
	case name == "" || err != nil:
		return ""
	case entry.Survives == "server":
		return fmt.Sprintf("its %s is on %s, in one zone (%s)", v.Role, name, guideEBS)
	case entry.Survives == "power cut":
		return fmt.Sprintf("its %s is on %s, a disk of one host (plinth's catalog of devices)", v.Role, name)
	}
	return ""
}

// synchronous reports whether commits are known to wait for a standby.
func synchronous(e record.Environment) bool {
	if commit := e.Settings["synchronous_commit"]; commit == "off" || commit == "local" {
		return false
	}
	switch {
	case e.Replica != nil:
		return e.Replica.Synchronous
	case e.Kubernetes != nil && e.Kubernetes.Synchronous != nil:
		return e.Kubernetes.Synchronous.Durability != "preferred" // otherwise commits go on without replicas
	}
	return e.Settings["synchronous_standby_names"] != ""
}
