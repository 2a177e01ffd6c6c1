package postgres

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres/setting"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Parity returns the undeclared differences between two environments, one note for each kind:
// each weakens their comparison.
func (Kind) Parity(baseline, other record.Environment) []record.Note {
	notes := engine.Differences(parity.Notes(baseline, other))
	notes.Add(baseline, other, "parity-tablespaces", tablespaces(baseline, other),
		"give the dataset the same tablespaces, or declare them in storage.tablespaces")
	return notes
}

var parity = engine.Parity{Unequal: unequal, Derived: derived, Ignored: askedByStorage, Request: "an empty query"}

// unequal matches the settings that differ by nature, or do not affect speed: names, places, time
// zones, certificates, what only a replica uses, what depends on the connection that reads it, and what is
// reported elsewhere.
var unequal = regexp.MustCompile(`(?i)^(` + strings.Join([]string{
	`.*_(file|directory|directories|path)`, `unix_socket_.*`, `lc_.*`, `ssl|ssl_.*`, `krb_.*`, `gss_.*`, `syslog_.*`,
	`server_version|server_version_num|server_encoding|client_encoding`,
	`application_name|bonjour_name|cluster_name|event_source|log_filename|log_file_mode|data_directory_mode|update_process_title`,
	`primary_conninfo|primary_slot_name|restore_command|tcp_keepalives_.*|tcp_user_timeout`,
	`port|listen_addresses|in_hot_standby|is_superuser|role|session_authorization|password_encryption`,
	`transaction_(isolation|read_only|deferrable)|timezone|log_timezone|timezone_abbreviations|datestyle|intervalstyle`,
	`default_text_search_config|shared_memory_size.*|num_os_semaphores|superuser_reserved_connections`,
}, "|") + `)$`)

// derived are settings that follow another one unless they are set explicitly.
var derived = map[string]string{
	"wal_buffers": "shared_buffers", "transaction_buffers": "shared_buffers",
	"subtransaction_buffers": "shared_buffers", "commit_timestamp_buffers": "shared_buffers",
}

// askedByStorage reports whether storage.temp or a synchronous replica implies a difference.
// CloudNativePG names its instances in the setting, so that it differs in each of its clusters.
func askedByStorage(a, b record.Environment, name string) bool {
	if name == "synchronous_standby_names" && (operatorReplicates(a) || operatorReplicates(b)) {
		return true
	}
	asked := map[string]string{tempSetting: tempTablespace, "synchronous_standby_names": replicaName}[name]
	return asked != "" && (a.Settings[name] == asked || b.Settings[name] == asked)
}

// operatorReplicates reports whether the operator of a cluster keeps synchronous replicas.
func operatorReplicates(e record.Environment) bool {
	return e.Kubernetes != nil && e.Kubernetes.Synchronous != nil
}

// notInForce lists the settings that e declares and does not have.
func notInForce(e record.Environment, units map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(e.Declared)) {
		if inForce, found := e.Settings[name]; !found || !setting.Same(e.Declared[name], inForce, units[name]) {
			words = append(words, fmt.Sprintf("%s: %s, not %s", name, engine.ShownSetting(inForce, found), e.Declared[name]))
		}
	}
	return strings.Join(words, ", ")
}

// tablespaces describes datasets in tablespaces of different names. A tablespace that an
// environment's storage declares is part of what is compared, and omitted.
func tablespaces(a, b record.Environment) string {
	inA, inB := undeclaredTablespaces(a, b), undeclaredTablespaces(b, a)
	if inA == nil && inB == nil {
		return ""
	}
	shown := func(names []string) string {
		if names == nil {
			return "(none)"
		}
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("tablespaces: %s / %s", shown(inA), shown(inB))
}

// undeclaredTablespaces returns those that e has, other does not have, and no volume of e
// declares.
func undeclaredTablespaces(e, other record.Environment) (names []string) {
	for _, tablespace := range e.Dataset.Tablespaces {
		named := func(t record.Tablespace) bool { return t.Name == tablespace.Name }
		asked := func(v record.Volume) bool {
			return v.Role == experiment.RoleTablespace+" "+tablespace.Name ||
				v.Role == experiment.RoleTemp && tablespace.Name == tempTablespace
		}
		if !slices.ContainsFunc(other.Dataset.Tablespaces, named) && !slices.ContainsFunc(e.Volumes, asked) {
			names = append(names, tablespace.Name)
		}
	}
	return names
}
