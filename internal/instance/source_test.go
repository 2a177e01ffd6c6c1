package instance

import (
	"slices"
	"testing"
)

// TestEveryFigureHasASource: for each type, and for managed classes, each known figure has exactly
// one source.
func TestEveryFigureHasASource(t *testing.T) {
	all := Catalog()
	for _, name := range []string{"db.t3.large", "db.t2.small", "cache.t4g.small", "cache.m6g.large"} {
		i, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, i)
	}
	for _, i := range all {
		var sourced []string
		for _, f := range i.Figures() {
			sourced = append(sourced, f.Keys...)
			if f.Source.Title == "" || f.Source.Author == "" || f.Source.Date == "" {
				t.Errorf("%s: %+v", i.Name, f)
			}
		}
		keys := i.Keys()
		slices.Sort(keys)
		slices.Sort(sourced)
		if !slices.Equal(keys, sourced) {
			t.Errorf("%s has the figures\n%v\nand sources of\n%v", i.Name, keys, sourced)
		}
	}
}

// TestKeys: only known figures have keys.
func TestKeys(t *testing.T) {
	for name, want := range map[string][]string{
		"t2.micro":    {"vcpus", "memory", "architecture", "processor", "credits.per_hour", "credits.most", "credits.baseline", "credits.mode", "credits.launch"},
		"db.t2.micro": {"vcpus", "memory", "architecture", "processor", "credits.per_hour", "credits.most", "credits.baseline", "credits.mode"},
		"d3.8xlarge":  {"vcpus", "memory", "architecture", "processor", "ebs.baseline", "ebs.maximum", "network.baseline", "network.maximum", "drives"},
		"m7g.large":   {"vcpus", "memory", "architecture", "processor", "ebs.baseline", "ebs.maximum", "ebs.burst", "network.baseline", "network.maximum", "network.burst", "coremark", "numa_nodes"},
	} {
		i, err := Find(name)
		if err != nil || !slices.Equal(i.Keys(), want) {
			t.Errorf("%s: %v, %v", name, i.Keys(), err)
		}
	}
}

func TestCitation(t *testing.T) {
	for want, s := range map[string]Source{
		"Amazon Web Services, Amazon EBS-optimized instance types (as of 2026)":                                              ebsGuide,
		"the Karpenter authors, karpenter-provider-aws 1.13.1, bandwidth as in AWS's documentation (2026-07-10; Apache-2.0)": bandwidth,
	} {
		if got := s.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
