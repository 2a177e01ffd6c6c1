package limit

import (
	"fmt"
	"slices"

	"plinth/internal/host"
)

// machine is what limits are parts of.
type machine struct {
	places map[string]place // by controller
	cores  []host.Core
	memory int64 // bytes
}

// look reads this machine; its control groups are those below root.
func look(root string) (machine, error) {
	found, err := places(root)
	if err != nil {
		return machine{}, fmt.Errorf("cannot find the control groups: %w", err)
	}
	cores, err := host.Cores()
	if err != nil {
		return machine{}, err
	}
	facts, err := host.ReadFacts()
	if err != nil {
		return machine{}, err
	}
	return machine{found, cores, facts.Memory}, nil
}

// rest are the CPUs that are left when these are taken.
func (m machine) rest(cpus []int) []int {
	return slices.DeleteFunc(allOf(m.cores), func(cpu int) bool { return slices.Contains(cpus, cpu) })
}
