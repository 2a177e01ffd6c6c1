package host

import (
	"reflect"
	"testing"

	"plinth/internal/host/sysfs"
)

func TestCores(t *testing.T) {
	all := func(int) bool { return true }
	for name, tc := range map[string]struct {
		files   map[string]string
		allowed func(int) bool
		want    []Core
	}{
		"two sockets with SMT": {server(), all, []Core{
			{0, []int{0, 8}}, {0, []int{1, 9}}, {0, []int{2, 10}}, {0, []int{3, 11}},
			{1, []int{4, 12}}, {1, []int{5, 13}}, {1, []int{6, 14}}, {1, []int{7, 15}},
		}},
		"taskset": {server(), func(cpu int) bool { return cpu == 3 || cpu == 8 || cpu > 13 }, []Core{
			{0, []int{3}}, {0, []int{8}}, {1, []int{14}}, {1, []int{15}},
		}},
		"no topology, one offline": {map[string]string{sysfs.CPUs + "/online": "0,2-3\n"}, all, []Core{
			{0, []int{0}}, {0, []int{2}}, {0, []int{3}},
		}},
	} {
		got, err := readCores(machine(tc.files), tc.allowed)
		if err != nil {
			t.Fatal(name, err)
		}
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

func TestCoresOfThisMachine(t *testing.T) {
	cores, err := Cores()
	if err != nil {
		t.Fatal(err)
	}
	facts, err := ReadFacts()
	if err != nil {
		t.Fatal(err)
	}
	cpus := 0
	for _, core := range cores {
		cpus += len(core.CPUs)
	}
	if cpus != facts.CPUs {
		t.Errorf("%v are %d CPUs, want %d", cores, cpus, facts.CPUs)
	}
}
