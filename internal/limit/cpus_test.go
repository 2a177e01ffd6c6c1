package limit

import (
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/host"
)

func TestChoose(t *testing.T) {
	small := []host.Core{{Node: 0, CPUs: []int{0}}, {Node: 0, CPUs: []int{1}}}
	one := []host.Core{{Node: 0, CPUs: []int{0, 1}}}
	server := []host.Core{ // two sockets, SMT
		{Node: 0, CPUs: []int{0, 8}}, {Node: 0, CPUs: []int{1, 9}}, {Node: 0, CPUs: []int{2, 10}}, {Node: 0, CPUs: []int{3, 11}},
		{Node: 1, CPUs: []int{4, 12}}, {Node: 1, CPUs: []int{5, 13}}, {Node: 1, CPUs: []int{6, 14}}, {Node: 1, CPUs: []int{7, 15}},
	}
	hybrid := []host.Core{ // two fast cores with SMT, two slow ones without
		{CPUs: []int{0, 1}}, {CPUs: []int{2, 3}}, {CPUs: []int{4}}, {CPUs: []int{5}},
	}
	for _, tc := range []struct {
		name  string
		cores []host.Core
		n     int
		want  string
	}{
		{"not CPU 0", small, 1, "1"},
		{"all", small, 2, "0-1"},
		{"the second thread of the only core", one, 1, "1"},
		{"a whole core", server, 2, "1,9"},
		{"three cores of node 0", server, 6, "1-3,9-11"},
		{"a part of a core", server, 3, "1,9-10"},
		{"a whole node without CPU 0", server, 8, "4-7,12-15"},
		{"more than a node", server, 10, "1-5,9-13"},
		{"all but one", server, 15, "1-15"},
		{"small cores fill up", hybrid, 3, "2-4"},
		{"a small core alone", hybrid, 1, "4"},
	} {
		if got := host.Ranges(choose(tc.cores, tc.n)); got != tc.want {
			t.Errorf("%s: %d CPUs are %q, want %q", tc.name, tc.n, got, tc.want)
		}
	}
}

// Whatever the machine: n different CPUs of it, and never CPU 0 while there are
// others.
func TestChooseAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cores []host.Core
		next := 0
		for range rapid.IntRange(1, 8).Draw(t, "cores") {
			core := host.Core{Node: rapid.IntRange(0, 2).Draw(t, "node")}
			for range rapid.IntRange(1, 2).Draw(t, "threads") {
				core.CPUs = append(core.CPUs, next)
				next += rapid.IntRange(1, 3).Draw(t, "gap")
			}
			cores = append(cores, core)
		}
		all := allOf(cores)
		n := rapid.IntRange(1, len(all)).Draw(t, "n")
		chosen := choose(cores, n)
		seen := map[int]bool{}
		for _, cpu := range chosen {
			seen[cpu] = true
			if len(machine{cores: cores}.rest([]int{cpu})) == len(all) {
				t.Fatalf("CPU %d is not there", cpu)
			}
		}
		if len(chosen) != n || len(seen) != n {
			t.Fatalf("%d CPUs of %v are %v", n, cores, chosen)
		}
		if rest := (machine{cores: cores}).rest(chosen); len(rest)+n != len(all) {
			t.Fatalf("%v are left of %v without %v", rest, all, chosen)
		}
	})
}
