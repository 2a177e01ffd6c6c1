package validity

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"plinth/internal/experiment"
)

// fewRequests is the number of device requests per transaction below which a load hardly depends on
// a device: even at 10 ms a request, they add 0.1 ms to a transaction on average. A group commit of
// 100 clients needs about as many.
const fewRequests = 0.01

// loadMissesVolume reports a load that does not reach the volumes in which environments differ.
func loadMissesVolume(b block) string {
	roles := differingRoles(b.experiment.Environments)
	most, known := 0.0, false
	for _, run := range b.runs {
		for _, v := range run.Volumes {
			if slices.Contains(roles, v.Role) && run.Result.TPS > 0 {
				most, known = max(most, (v.Reads+v.Writes)/run.Result.TPS), true
			}
		}
	}
	if !known || most >= fewRequests || datasetInBuffers(whole{b.experiment, b.environments}) != "" { // which says why
		return ""
	}
	return fmt.Sprintf("%s does fewer than %g reads and writes per transaction on the volumes in which the environments differ (%s), and hardly depends on that storage",
		b.runs[0].Workload, fewRequests, strings.Join(roles, ", "))
}

// differingRoles returns the roles of the volumes that are not the same in all environments.
func differingRoles(environments []experiment.Environment) (roles []string) {
	volumes := map[string][]experiment.Volume{}
	for _, e := range environments {
		for _, part := range e.Storage.Parts() {
			volumes[part.Role] = append(volumes[part.Role], part.Volume)
		}
	}
	for role, all := range volumes {
		differs := func(v experiment.Volume) bool { return !reflect.DeepEqual(v, all[0]) }
		if len(all) < len(environments) || slices.ContainsFunc(all, differs) {
			roles = append(roles, role)
		}
	}
	slices.Sort(roles)
	return roles
}
