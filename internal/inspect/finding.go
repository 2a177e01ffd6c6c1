// Package inspect reports facts about a machine and a database, and findings: facts that would
// spoil a benchmark or harm production. It only reads.
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

// Severity is the importance of a finding.
type Severity string

// The severities. Critical: data can be lost, or numbers are meaningless. Warning: it measurably
// costs speed or steadiness. Note: a fact to know when interpreting numbers.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Note     Severity = "note"
)

// Finding is a diagnosed fact with its evidence. Benchmark and Production give the reason why
// it matters to each; one of them may be empty.
type Finding struct {
	Rule       string   `json:"rule"`
	Severity   Severity `json:"severity"`
	Text       string   `json:"text"`
	Benchmark  string   `json:"benchmark,omitempty"`
	Production string   `json:"production,omitempty"`
	Do         string   `json:"do"`
}

// Input holds the facts from which findings are derived.
type Input struct {
	Machine host.Inventory
	Root    host.Place          // the place of /
	Server  *examine.Facts      // nil without a PostgreSQL server
	Redis   *redisexamine.Facts // nil without a Redis server
	Local   bool                // there is no server, or it runs on this machine
	CPUs    string              // CPUs on which the server may run, "0-3"; "" if unknown
	Files   int64               // maximum of open files of the server; 0 if unknown
	Now     time.Time
}

// scope is the subject of a rule, which determines when it applies.
type scope int

const (
	ofMachine   scope = iota // a machine on which a server runs, or will run
	ofGenerator              // any machine, including one that only runs the load generator
	ofServer                 // PostgreSQL
	ofRedis                  // Redis or Valkey
	underIt                  // Redis or Valkey, and the machine on which it runs
)

// rule is a kind of finding. Its weight orders findings and determines their severity: 80 and
// above is critical, 40 and above a warning.
type rule struct {
	name   string
	weight int
	about  scope
	// check returns its evidence, or nothing. The evidence must be certain: a value that could
	// not be read is not a finding.
	check      func(*Input) evidence
	benchmark  string // why it matters to a benchmark
	production string
	do         string // one command or setting; {} is replaced by the evidence's subject

	// instead lists less specific rules for the same problem: if this rule finds something,
	// their findings are omitted.
	instead []string
}

// evidence is the result of a check; without a text it found nothing.
type evidence struct {
	text    string
	subject string // the disk or value to change
	do      string // overrides the rule's do

	production string // overrides the rule's production
}

const (
	criticalWeight = 80
	warningWeight  = 40
)

// SeverityOf returns the severity of a rule with a weight.
func SeverityOf(weight int) Severity {
	switch {
	case weight >= criticalWeight:
		return Critical
	case weight >= warningWeight:
		return Warning
	}
	return Note
}

func (r rule) severity() Severity { return SeverityOf(r.weight) }

// rules returns all rules, by subject.
func rules() []rule {
	return slices.Concat(cpuRules, numaRules, memoryRules, dirtyRules, limitRules, loadRules,
		diskRules, layerRules, remoteRules, instanceRules, filesystemRules, mountRules,
		durabilityRules, settingRules, walRules, costRules, autovacuumRules, sessionRules, replicationRules, versionRules,
		redisPersistenceRules, redisForkRules, redisMemoryRules, redisStallRules, redisAccessRules, redisReplicationRules)
}

// Findings returns the findings of all rules that apply, the highest weight first.
func Findings(in Input) []Finding {
	applicable := slices.DeleteFunc(rules(), func(r rule) bool { return !r.applies(&in) })
	slices.SortStableFunc(applicable, func(a, b rule) int { return cmp.Compare(b.weight, a.weight) })
	found, better := []Finding{}, map[string]bool{}
	for _, r := range applicable {
		e := r.check(&in)
		if e.text == "" {
			continue
		}
		found = append(found, Finding{
			Rule: r.name, Severity: r.severity(), Text: e.text, Benchmark: r.benchmark, Production: cmp.Or(e.production, r.production),
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
