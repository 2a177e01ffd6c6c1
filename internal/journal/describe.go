package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// forMachines holds arguments that are meaningless to a reader.
var forMachines = []string{"id", "file_id", "uuid", "boot", "mount_point", "emulator", "emulators"}

// subjects holds arguments that identify the changed object, in order of preference: they are
// shown without their name.
var subjects = []string{"path", "device", "target", "mount", "data_dir", "database", "name", "file"}

// Describe returns the kind and the arguments of the change as text.
func (e Entry) Describe() string {
	var args map[string]any
	decoder := json.NewDecoder(bytes.NewReader(e.Args))
	decoder.UseNumber()
	if decoder.Decode(&args) != nil {
		return e.Kind + " " + string(e.Args)
	}
	maps.DeleteFunc(args, func(name string, _ any) bool { return slices.Contains(forMachines, name) })
	if words := setting(args); words != "" {
		return words
	}
	var first, rest []string
	subject := subjectOf(args)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value := words(args[name])
		switch name {
		case subject:
			first = []string{value}
		case e.Kind:
			rest = append(rest, value)
		default:
			rest = append(rest, strings.ReplaceAll(name, "_", " ")+" "+value)
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(e.Kind, "-", " ") + " " + strings.Join(append(first, rest...), ", "))
}

// subjectOf returns the name of the argument that identifies the changed object; "" if there is
// none.
func subjectOf(args map[string]any) string {
	for _, name := range subjects {
		if args[name] != nil {
			return name
		}
	}
	return ""
}

// setting describes a changed value: of a knob, "vm.swappiness: 10, was 60", or of a kernel
// file such as a disk's, "write_cache of loop3: write through, was write back". It returns ""
// for other changes.
func setting(args map[string]any) string {
	if name, ok := args["knob"].(string); ok && args["set"] != nil && args["was"] != nil {
		return fmt.Sprintf("%s: %s, was %s", name, words(args["set"]), words(args["was"]))
	}
	file, ok := args["file"].(string)
	if !ok || args["set"] == nil || args["was"] == nil {
		return ""
	}
	device := filepath.Base(filepath.Dir(filepath.Dir(file))) // of .../loop3/queue/write_cache
	return fmt.Sprintf("%s of %s: %s, was %s", filepath.Base(file), device, words(args["set"]), words(args["was"]))
}

// words formats a value; the elements of a list are separated by spaces.
func words(value any) string {
	list, ok := value.([]any)
	if !ok {
		return fmt.Sprint(value)
	}
	var all []string
	for _, one := range list {
		all = append(all, fmt.Sprint(one))
	}
	return strings.Join(all, " ")
}
