package check

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/knob"
)

// insteadOfFixed maps fixed settings to what determines them.
var insteadOfFixed = map[string]string{
	"temp_tablespaces":          "leave it out, and add storage: {temp: {class: NAME, size: 8GiB}}",
	"synchronous_standby_names": "leave it out, and add kubernetes: {synchronous: {method: any, number: 1}}",
	"shared_preload_libraries":  "leave it out: CloudNativePG loads pg_stat_statements, auto_explain and pgaudit if their settings are given",
}

// volumesOfCNPG holds the other volumes of CloudNativePG's pods. It names the volume of a tablespace after
// it, with hyphens instead of underscores, and its webhook does not check that this is possible.
//
// https://github.com/cloudnative-pg/cloudnative-pg/blob/v1.28.1/pkg/specs/volumes.go
var volumesOfCNPG = []string{"pgdata", "projected", "scratch_data", "shm"}

// versionTag matches images whose tag begins with a version.
var versionTag = regexp.MustCompile(`^[^@]*:[0-9]+[^/:@]*(@.*)?$`)

// cnpg checks a server that CloudNativePG is to create.
func cnpg(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, where string) {
	k := &env.Kubernetes
	if e.Engine != experiment.EnginePostgres {
		notes.Add(notes.Places[&k.Operator], "use operator: none", "%s.kubernetes: CloudNativePG runs PostgreSQL only", where)
		return
	}
	if s := &k.Synchronous; s.There() && notes.Sound(s, &s.Number, &k.Instances) && s.Number >= k.Instances {
		notes.Add(first(notes.Places[&s.Number], notes.Places[s]), instancesAtLeast(s.Number+1), "%s.kubernetes.synchronous: commits cannot wait for %d of %d replicas",
			where, s.Number, k.Instances-1)
	}
	if k.Image != "" && notes.Sound(&k.Image) && !versionTag.MatchString(k.Image) {
		notes.Add(notes.Places[&k.Image], "add the version as its tag: registry.example/postgresql:17.5", "%s.kubernetes.image: CloudNativePG reads the version of PostgreSQL from the image's tag", where)
	}
	for i := range env.Storage.Tablespaces {
		name := &env.Storage.Tablespaces[i].Name
		if strings.HasSuffix(*name, "_") || slices.Contains(volumesOfCNPG, *name) {
			notes.Add(notes.Places[name], "choose another name", "%s.storage.tablespaces: CloudNativePG cannot name a volume after %s", where, *name)
		}
	}
	settings := e.SettingsOf(*env)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fixedSetting(notes, env, settingAt(notes, e, env, name), name, settings[name], where)
	}
}

// fixedSetting notes a setting that CloudNativePG does not accept. Names that plinth itself refuses
// for every server are noted elsewhere.
func fixedSetting(notes *mistake.Notes, env *experiment.Environment, place *yaml.Node, name, value, where string) {
	lower, value := strings.ToLower(name), strings.ToLower(value)
	off := slices.Contains([]string{"off", "false", "no", "0"}, value)
	switch {
	case ownSettings[lower] != "":
	case slices.Contains(knob.FixedByCNPG(), lower):
		hint := insteadOfFixed[lower]
		if hint == "" {
			hint = "leave it out, or use operator: none"
		}
		notes.Add(place, hint, "%s: CloudNativePG sets %s itself", where, lower)
	case lower == "wal_level" && value == "minimal":
		notes.Add(place, "set it to replica or logical, or use operator: none", "%s: CloudNativePG archives WAL, which wal_level = minimal does not allow", where)
	case lower == "wal_log_hints" && off && env.Kubernetes.Instances > 1:
		notes.Add(place, "leave it out, or set instances to 1", "%s: CloudNativePG requires wal_log_hints with several instances", where)
	}
}
