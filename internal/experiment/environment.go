package experiment

import (
	"cmp"
	"maps"
	"strings"
)

// TelemetryOf says whether an environment is read while it is driven: "on" or "off".
func (e *Experiment) TelemetryOf(env Environment) string { return cmp.Or(env.Telemetry, e.Telemetry) }

// KeysOf is how many keys of which size are loaded into an environment of Redis.
func (e *Experiment) KeysOf(env Environment) KeyDataset {
	own := env.Dataset
	if own.Keys == 0 {
		return KeyDataset{e.Dataset.Keys, e.Dataset.Size}
	}
	return KeyDataset{own.Keys, cmp.Or(own.Size, e.Dataset.Size, e.Payload)}
}

// SettingsOf is the settings that the file declares for an environment: its own
// on top of the experiment's. Case does not count in the name of a setting.
func (e *Experiment) SettingsOf(env Environment) map[string]string {
	settings := map[string]string{}
	for _, declared := range []map[string]string{e.Settings, env.Settings} {
		for name, value := range declared {
			maps.DeleteFunc(settings, func(other, _ string) bool { return strings.EqualFold(name, other) })
			settings[name] = value
		}
	}
	return settings
}

// ReplicaOf is an environment of which the server is the replica of another one's:
// what makes servers needs to know no more of it.
func ReplicaOf(e Environment) Environment {
	settings := map[string]string{}
	for _, declared := range []map[string]string{e.Settings, e.Replica.Settings} {
		for name, value := range declared {
			maps.DeleteFunc(settings, func(other, _ string) bool { return strings.EqualFold(name, other) })
			settings[name] = value
		}
	}
	return Environment{
		Name: e.Name, Storage: e.Replica.Storage, Postgres: e.Postgres, Redis: e.Redis,
		Settings: settings, Limits: e.Replica.Limits, Telemetry: e.Telemetry, Dataset: e.Dataset,
	}
}
