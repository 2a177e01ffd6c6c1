// Package inspect says what a machine and a database are, and what about them
// would spoil a benchmark or hurt production. It only reads.
package inspect

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"plinth/internal/engine/postgres/examine"
	redisexamine "plinth/internal/engine/redis/examine"
	"plinth/internal/host"
)

// Severity is how much a finding matters.
type Severity string

// The severities. Critical: data can be lost, or numbers mean nothing. Warning: it
// costs speed or steadiness that can be measured. Note: to be known when numbers
// are read.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Note     Severity = "note"
)

// Finding is one diagnosed fact with its evidence. Benchmark and Production are
// why it matters to each; one of them may be empty.
type Finding struct {
	Rule       string   `json:"rule"`
	Severity   Severity `json:"severity"`
	Text       string   `json:"text"`
	Benchmark  string   `json:"benchmark,omitempty"`
	Production string   `json:"production,omitempty"`
	Do         string   `json:"do"`
}

// Input is what findings are made from.
type Input struct {
	Machine host.Inventory
	Root    host.Place          // what / lies on
	Server  *examine.Facts      // nil where no PostgreSQL is looked at
	Redis   *redisexamine.Facts // nil where no Redis is looked at
	Local   bool                // there is no server, or it runs on this machine
	CPUs    string              // where the server may run, "0-3"; "" where unknown
	Files   int64               // that the server may have open at the most; 0 where unknown
	Now     time.Time
}

// scope is what a rule is about, and so when it is asked.
type scope int

const (
	ofMachine   scope = iota // where a server runs, or is going to
	ofGenerator              // any machine, the one that only drives the load included
	ofServer                 // PostgreSQL
	ofRedis                  // Redis or Valkey
	underIt                  // Redis or Valkey, and the machine that it runs on
)

// rule is one kind of finding. Its weight orders findings and is their severity: 80
// and more is critical, 40 and more a warning.
type rule struct {
	name   string
	weight int
	about  scope
	// check says what is found, or nothing. It must be sure of its evidence: what
	// could not be read is no finding.
	check      func(*Input) evidence
	benchmark  string // why it matters there
	production string
	do         string // one command or setting; {} stands for the evidence's subject

	// instead are rules that say less of the same: where this one finds something,
	// what they find is left out.
	instead []string
}

// evidence is what a check found: nothing when there is no text.
type evidence struct {
	text    string
	subject string // what is to be changed: a disk, a value
	do      string // instead of the rule's own
}

const (
	criticalWeight = 80
	warningWeight  = 40
)

func (r rule) severity() Severity {
	switch {
	case r.weight >= criticalWeight:
		return Critical
	case r.weight >= warningWeight:
		return Warning
	}
	return Note
}

// rules are all rules, by what they look at.
func rules() []rule {
	return slices.Concat(cpuRules, numaRules, memoryRules, dirtyRules, limitRules, loadRules,
		diskRules, layerRules, filesystemRules, mountRules,
		durabilityRules, settingRules, walRules, costRules, autovacuumRules, sessionRules, replicationRules, versionRules,
		redisPersistenceRules, redisForkRules, redisMemoryRules, redisStallRules, redisAccessRules, redisReplicationRules)
}

// Findings are what the rules find, the weightiest first.
func Findings(in Input) []Finding {
	asked := slices.DeleteFunc(rules(), func(r rule) bool { return !r.applies(&in) })
	slices.SortStableFunc(asked, func(a, b rule) int { return cmp.Compare(b.weight, a.weight) })
	found, better := []Finding{}, map[string]bool{}
	for _, r := range asked {
		e := r.check(&in)
		if e.text == "" {
			continue
		}
		found = append(found, Finding{
			Rule: r.name, Severity: r.severity(), Text: e.text, Benchmark: r.benchmark, Production: r.production,
			Do: strings.ReplaceAll(cmp.Or(e.do, r.do), "{}", e.subject),
		})
		for _, name := range r.instead {
			better[name] = true
		}
	}
	return slices.DeleteFunc(found, func(f Finding) bool { return better[f.Rule] })
}

func (r rule) applies(in *Input) bool {
	switch r.about {
	case ofServer:
		return in.Server != nil
	case ofRedis:
		return in.Redis != nil
	case underIt:
		return in.Redis != nil && in.Local
	case ofMachine:
		return in.Local
	}
	return true
}
