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

// forMachines are arguments that tell people nothing.
var forMachines = []string{"id", "file_id", "uuid", "boot", "mount_point", "emulator", "emulators"}

// subjects are arguments that are what was changed, by whichever comes first: they go
// without a name.
var subjects = []string{"path", "device", "target", "mount", "data_dir", "database", "name", "file"}

// Describe says in words what the change was: its kind and its arguments.
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

// subjectOf is the name of the argument that is what was changed.
func subjectOf(args map[string]any) string {
	for _, name := range subjects {
		if args[name] != nil {
			return name
		}
	}
	return ""
}

// setting is a value that was set: a knob's, "vm.swappiness: 10, was 60", or one in a file
// of the kernel, as it is for a disk, "write_cache of loop3: write through, was write
// back"; "" where it is something else.
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

// words is a value as people write it, a list with spaces between.
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
