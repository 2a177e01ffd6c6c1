package postgres

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// Parity names what differs between two environments without having been asked
// for, one note for each kind of difference: each weakens their comparison.
func Parity(baseline, other record.Environment) []record.Note {
	var notes []record.Note
	add := func(rule, text, hint string) {
		if text != "" {
			text = fmt.Sprintf("%s and %s differ in %s", baseline.Name, other.Name, text)
			notes = append(notes, record.Note{Rule: rule, Text: text, Hint: hint})
		}
	}
	add("parity-version", versions(baseline, other), "")
	add("parity-settings", differingSettings(baseline, other), "give them the same settings, or declare the difference")
	add("parity-transport", transports(baseline, other), "")
	add("parity-round-trip", roundTrips(baseline, other), roundTripHint(baseline, other))
	add("parity-dataset", datasets(baseline.Dataset, other.Dataset), "")
	add("parity-tablespaces", tablespaces(baseline, other), "give the dataset the same tablespaces, or name them in storage.tablespaces")
	return notes
}

func versions(a, b record.Environment) string {
	if a.Version == b.Version {
		return ""
	}
	return fmt.Sprintf("version: %s / %s", a.Version, b.Version)
}

// unequal are the settings that differ by nature, or say nothing about speed:
// names, places, time zones, certificates, and what is told elsewhere.
var unequal = regexp.MustCompile(`(?i)^(` + strings.Join([]string{
	`.*_(file|directory|directories|path)`, `unix_socket_.*`, `lc_.*`, `ssl|ssl_.*`, `krb_.*`, `gss_.*`, `syslog_.*`,
	`server_version|server_version_num|server_encoding|client_encoding`,
	`application_name|bonjour_name|cluster_name|event_source|log_filename|log_file_mode|data_directory_mode|update_process_title`,
	`port|listen_addresses|in_hot_standby|is_superuser|role|session_authorization|password_encryption`,
	`transaction_(isolation|read_only|deferrable)|timezone|log_timezone|timezone_abbreviations|datestyle|intervalstyle`,
	`default_text_search_config|shared_memory_size.*|num_os_semaphores|superuser_reserved_connections`,
}, "|") + `)$`)

// derived are settings that follow another one unless they are set themselves.
var derived = map[string]string{
	"wal_buffers": "shared_buffers", "transaction_buffers": "shared_buffers",
	"subtransaction_buffers": "shared_buffers", "commit_timestamp_buffers": "shared_buffers",
}

func differingSettings(a, b record.Environment) string {
	names := maps.Clone(a.Settings)
	maps.Copy(names, b.Settings)
	var words []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		inA, hasA := a.Settings[name]
		inB, hasB := b.Settings[name]
		switch {
		case inA == inB && hasA == hasB, unequal.MatchString(name), declaredApart(a, b, name):
			continue
		case name == tempSetting && (inA == tempTablespace || inB == tempTablespace):
			continue // storage.temp asks for it
		case (!hasA || !hasB) && a.VersionN/10000 != b.VersionN/10000:
			continue // a setting that only one of the versions has
		}
		words = append(words, fmt.Sprintf("%s: %s / %s", name, shown(inA, hasA), shown(inB, hasB)))
	}
	if words == nil {
		return ""
	}
	return "settings: " + strings.Join(words, ", ")
}

func shown(value string, there bool) string {
	switch {
	case !there:
		return "(none)"
	case value == "":
		return `""`
	}
	return value
}

// declaredApart says whether the experiment itself asks for a difference: then
// it is what is compared.
func declaredApart(a, b record.Environment, name string) bool {
	inA, askedA := a.Declared[name]
	inB, askedB := b.Declared[name]
	if askedA || askedB {
		return askedA != askedB || inA != inB
	}
	source, follows := derived[name]
	return follows && declaredApart(a, b, source)
}

func transports(a, b record.Environment) string {
	if a.Transport == b.Transport {
		return ""
	}
	return fmt.Sprintf("transport: %s / %s", a.Transport, b.Transport)
}

// datasets tells of rows that are not as many, or tables not as large: rows are
// the server's own estimates, and may be a thousandth off.
func datasets(a, b record.Dataset) string {
	var words []string
	if apart(a.Rows, b.Rows, 0.001) {
		words = append(words, fmt.Sprintf("rows: %d / %d", a.Rows, b.Rows))
	}
	if apart(a.Bytes, b.Bytes, 0.01) {
		words = append(words, fmt.Sprintf("size: %s / %s", unit.Size(a.Bytes), unit.Size(b.Bytes)))
	}
	if words == nil {
		return ""
	}
	return "dataset: " + strings.Join(words, ", ")
}

func apart(a, b int64, share float64) bool {
	return math.Abs(float64(a-b)) > share*float64(max(a, b))
}

// notInForce lists the settings that e asked for and does not have.
func notInForce(e record.Environment, units map[string]string) string {
	var words []string
	for _, name := range declaredNames(e) {
		if inForce, found := e.Settings[name]; !found || !sameValue(e.Declared[name], inForce, units[name]) {
			words = append(words, fmt.Sprintf("%s: %s, not %s", name, shown(inForce, found), e.Declared[name]))
		}
	}
	return strings.Join(words, ", ")
}
