package preview

import (
	"fmt"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/runner/engines"
)

// unlikePaths warns if an emulated device is compared with a real disk: the overhead of the
// emulator's path is then part of the difference.
func unlikePaths(e *experiment.Experiment) []experiment.Warning {
	var warnings []experiment.Warning
	for _, role := range []string{experiment.RoleData, experiment.RoleWAL} {
		warnings = append(warnings, unlikeIn(e, role)...)
	}
	return warnings
}

func unlikeIn(e *experiment.Experiment, role string) []experiment.Warning {
	var emulated, plain []string
	for _, environment := range e.Environments {
		if engines.Connected(environment) || environment.Kubernetes.There() {
			continue
		}
		for _, part := range environment.Storage.Parts() {
			if part.Role != role {
				continue
			}
			if part.Volume.Emulated() {
				emulated = append(emulated, environment.Name)
			} else {
				plain = append(plain, environment.Name)
			}
		}
	}
	if emulated == nil || plain == nil {
		return nil
	}
	return []experiment.Warning{{
		Rule: "unlike-paths",
		Text: fmt.Sprintf("the %s of %s is on an emulated device, but that of %s is not: the difference includes the overhead of the emulator",
			role, strings.Join(emulated, ", "), strings.Join(plain, ", ")),
		Hint: "add to the other environments: storage: {" + role + ": {emulate: pass-through}}",
	}}
}
