package steps

import (
	"slices"
	"strings"

	"plinth/internal/report/phrase"
)

// PublishedImpact is a published impact of a knob.
type PublishedImpact struct {
	Knob     string `json:"knob"` // with its value, as published
	Impact   string `json:"impact"`
	Priority string `json:"priority,omitempty"`
	Source   string `json:"source"`
}

const (
	caseStudy   = "PostgreSQL OLTP Benchmark - Case Study"
	threeLayers = "Iwan Setiawan, Bare Metal vs. AWS RDS: CPU/NUMA Pinning and HugePages"
	selection   = "Storage Selection for Database Workloads"
)

// published lists published impacts by the name of the knob. Those from threeLayers are for
// several knobs together, which were not measured separately.
var published = []struct {
	knob string
	PublishedImpact
}{
	{"vm.dirty_background_ratio", PublishedImpact{"vm.dirty_background_ratio=1", "High", "Must-have", caseStudy + ", 6.1"}},
	{"vm.dirty_writeback_centisecs", PublishedImpact{"vm.dirty_writeback_centisecs=100", "High", "Must-have", caseStudy + ", 6.1"}},
	{"vm.swappiness", PublishedImpact{"vm.swappiness=1", "Medium", "Must-have", caseStudy + ", 6.1"}},
	{"vm.dirty_expire_centisecs", PublishedImpact{"vm.dirty_expire_centisecs=200", "Medium", "Nice-to-have", caseStudy + ", 6.1"}},
	{"bgwriter_delay", PublishedImpact{"bgwriter_delay=10ms", "Critical", "Must-have", caseStudy + ", 6.2"}},
	{"bgwriter_lru_multiplier", PublishedImpact{"bgwriter_lru_multiplier=10.0", "High", "Must-have", caseStudy + ", 6.2"}},
	{"commit_delay", PublishedImpact{"commit_delay=50", "High", "Recommended", caseStudy + ", 6.2"}},
	{"wal_writer_delay", PublishedImpact{"wal_writer_delay=10ms", "Medium", "Recommended", caseStudy + ", 6.2"}},
	{"checkpoint_timeout", PublishedImpact{"checkpoint_timeout=30min", "Medium", "Recommended", caseStudy + ", 6.2"}},
	{"autovacuum_vacuum_cost_limit", PublishedImpact{"autovacuum_vacuum_cost_limit=10000", "Medium", "Recommended", caseStudy + ", 6.2"}},
	{"max_wal_size", PublishedImpact{"max_wal_size=48GB", "Low", "Optional", caseStudy + ", 6.2"}},
	{"cpus", PublishedImpact{"pinning and governor at once", "+22.4 % RW TPS", "", threeLayers + ", Tuning 1"}},
	{"scaling_governor", PublishedImpact{"pinning and governor at once", "+22.4 % RW TPS", "", threeLayers + ", Tuning 1"}},
	{"vcpupin", PublishedImpact{"pinning and governor at once", "+22.4 % RW TPS", "", threeLayers + ", Tuning 1"}},
	{"mems", PublishedImpact{"pinning and governor at once", "+22.4 % RW TPS", "", threeLayers + ", Tuning 1"}},
	{"numatune", PublishedImpact{"pinning and governor at once", "+22.4 % RW TPS", "", threeLayers + ", Tuning 1"}},
	{"pod.cpus", PublishedImpact{"pinning and governor at once", "+22.4 % RW TPS", "", threeLayers + ", Tuning 1"}},
	{"huge_pages", PublishedImpact{"huge pages", "+2.8 % RW TPS", "", threeLayers + ", Tuning 2"}},
	{"vm.nr_hugepages", PublishedImpact{"huge pages", "+2.8 % RW TPS", "", threeLayers + ", Tuning 2"}},
	{"pod.hugepages", PublishedImpact{"huge pages", "+2.8 % RW TPS", "", threeLayers + ", Tuning 2"}},
	{"options", PublishedImpact{"noatime", "+3 to 5 % IOPS of reads", "", selection + ", Mount Options"}},
}

// publishedOf returns the published impacts of a part's knobs, each once.
func publishedOf(p AblatedPart) []PublishedImpact {
	keys := append([]string{p.Name}, p.Knobs...)
	var found []PublishedImpact
	for _, known := range published {
		named := func(key string) bool {
			name, _, _ := strings.Cut(key, "@")
			return name == known.knob
		}
		if slices.ContainsFunc(keys, named) && !slices.Contains(found, known.PublishedImpact) {
			found = append(found, known.PublishedImpact)
		}
	}
	return found
}

// publishedText formats "bgwriter_delay=10ms: Critical, Must-have; ...". Only the first row of
// a part shows it.
func publishedText(all []PublishedImpact, first bool) string {
	if len(all) == 0 || !first {
		return phrase.None
	}
	var texts []string
	for _, p := range all {
		texts = append(texts, p.Knob+": "+strings.TrimSuffix(p.Impact+", "+p.Priority, ", "))
	}
	return strings.Join(texts, "; ")
}

// citations returns the sources of the parts' published impacts, each once.
func (a *Ablation) citations() []string {
	var all []string
	for _, part := range a.Parts {
		for _, p := range part.Published {
			if !slices.Contains(all, p.Source) {
				all = append(all, p.Source)
			}
		}
	}
	return all
}
