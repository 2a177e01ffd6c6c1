package experiment

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// TelemetryOf returns whether telemetry is read in an environment: "on" or "off".
func (e *Experiment) TelemetryOf(env Environment) string { return cmp.Or(env.Telemetry, e.Telemetry) }

// KeysOf returns the number and size of the keys that are loaded into a Redis environment.
func (e *Experiment) KeysOf(env Environment) KeyDataset {
	own := env.Dataset
	if own.Keys == 0 {
		return KeyDataset{e.Dataset.Keys, e.Dataset.Size}
	}
	return KeyDataset{own.Keys, cmp.Or(own.Size, e.Dataset.Size, e.Payload)}
}

// SettingsOf returns the settings that the file declares for an environment: the experiment's,
// overridden by its own. Setting names are case-insensitive.
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

// ReplicaOf returns the replica of e as an environment, so that code that creates servers needs no
// special case for replicas.
func ReplicaOf(e Environment) Environment {
	settings := map[string]string{}
	for _, declared := range []map[string]string{e.Settings, e.Replica.Settings} {
		for name, value := range declared {
			maps.DeleteFunc(settings, func(other, _ string) bool { return strings.EqualFold(name, other) })
			settings[name] = value
		}
	}
	limits := e.Replica.Limits
	limits.Burstable = e.Limits.Burstable
	return Environment{
		Name: e.Name, Storage: e.Replica.Storage, Postgres: e.Postgres, Redis: e.Redis, Kubernetes: e.Kubernetes,
		Settings: settings, Limits: limits, Telemetry: e.Telemetry, Dataset: e.Dataset,
	}
}

// Paths returns the directories, devices and files of an environment's programs and volumes.
func (e *Environment) Paths() []*string {
	all := []*string{&e.Postgres.Directory, &e.Redis.Directory}
	for _, v := range e.Volumes() {
		all = append(all, &v.Directory)
		for _, d := range v.Disks() {
			all = append(all, &d.Device, &d.File, &d.Backing)
		}
	}
	return all
}

// LeaveOut removes environments, their steps and their declared comparisons.
func (e *Experiment) LeaveOut(gone func(environment string) bool) {
	e.Environments = slices.DeleteFunc(slices.Clone(e.Environments), func(env Environment) bool { return gone(env.Name) })
	e.Steps = slices.DeleteFunc(slices.Clone(e.Steps), func(s Step) bool { return gone(s.Name) })
	e.Compare = slices.DeleteFunc(slices.Clone(e.Compare), func(name string) bool {
		_, environment, found := strings.Cut(name, "/")
		return found && gone(environment)
	})
}
