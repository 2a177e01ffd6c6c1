package verdict

import (
	"fmt"
	"maps"
	"slices"

	"plinth/internal/record"
)

// layerServer is the layer of the knobs of a server, as a record spells it.
const layerServer = "server"

// tunedApart tells of knobs below the server that were not tuned alike in environments of
// two records. The server's are among its settings, where parity finds them.
func tunedApart(a, b record.Environment) []string {
	x, y := tunedBelow(a), tunedBelow(b)
	both := maps.Clone(x)
	maps.Copy(both, y)
	var all []string
	for _, key := range slices.Sorted(maps.Keys(both)) {
		if x[key] != y[key] {
			all = append(all, fmt.Sprintf("%s: %s in %s, %s in %s", key, asTuned(x, key), a.Name, asTuned(y, key), b.Name))
		}
	}
	return all
}

func tunedBelow(e record.Environment) map[string]string {
	values := map[string]string{}
	if e.Tuning == nil {
		return values
	}
	for _, k := range e.Tuning.Knobs {
		if k.Layer != layerServer && k.NotApplicable == "" {
			values[k.Key] = k.Value
		}
	}
	return values
}

func asTuned(values map[string]string, key string) string {
	if value, is := values[key]; is {
		return value
	}
	return "not tuned"
}
