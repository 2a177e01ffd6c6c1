package setting

import (
	"slices"
	"strings"
)

// lists are the settings whose value is a list of names, each quoted separately
// (variable_is_guc_list_quote of pg_dump).
var lists = strings.Fields(`local_preload_libraries search_path session_preload_libraries shared_preload_libraries
	temp_tablespaces unix_socket_directories`)

// IsList reports whether the value of a setting is a list of names.
func IsList(name string) bool { return slices.Contains(lists, strings.ToLower(name)) }

// SameList reports whether two values of a setting are the same list of names.
func SameList(name, a, b string) bool {
	return IsList(name) && slices.Equal(Literals(name, a), Literals(name, b))
}

// Literals returns the texts that ALTER SYSTEM must be given as literals of their own: the names of a list, without their
// quotes, or else the whole value. A list in one literal would be one name.
func Literals(name, value string) []string {
	if !IsList(name) {
		return []string{value}
	}
	var each []string
	for part := range strings.SplitSeq(value, ",") {
		each = append(each, strings.Trim(strings.TrimSpace(part), `"`))
	}
	return each
}
