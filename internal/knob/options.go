package knob

import (
	"slices"
	"strings"
	"sync"
)

// Remounted is what a remount does with a mount option.
type Remounted string

// What a remount does, as tried on Linux 6.18.
const (
	Changes Remounted = "changes" // it is in force afterwards
	Ignored Remounted = "ignored" // the remount succeeds, and nothing changes
	Refused Remounted = "refused" // the remount fails
)

// Option is a mount option, and what a remount does with it.
type Option struct {
	// Name as it is written; with a value it ends in =, and stands for all values.
	Name string `yaml:"name"`
	// Filesystems that have it; none for all of them.
	Filesystems []string  `yaml:"filesystems"`
	Remount     Remounted `yaml:"remount"`
	// Clears are the options whose place it takes: noatime that of relatime.
	Clears []string `yaml:"clears"`
	// Hidden options are not shown in /proc/self/mountinfo when they are in force, since
	// they are the default.
	Hidden bool `yaml:"hidden"`
	// Unsafe options weaken durability.
	Unsafe bool   `yaml:"unsafe"`
	Doc    string `yaml:"doc"`
}

// Needs is what must happen until the option is in force on a mounted filesystem.
func (o Option) Needs() Needs {
	if o.Remount == Changes {
		return Remount
	}
	return FreshMount
}

// OptionOf finds a mount option of a filesystem, with or without its value: "noatime",
// "commit=30". Filesystem "" is any.
func OptionOf(filesystem, option string) (Option, bool) {
	name, _, valued := strings.Cut(option, "=")
	table, _ := mountOptions()
	for _, o := range table {
		if len(o.Filesystems) > 0 && filesystem != "" && !slices.Contains(o.Filesystems, filesystem) {
			continue
		}
		if o.Name == option || valued && o.Name == name+"=" {
			return o, true
		}
	}
	return Option{}, false
}

// MountOption says whether a filesystem has an option; its value, and the = before it,
// may be missing.
func MountOption(filesystem, option string) bool {
	_, plain := OptionOf(filesystem, option)
	_, valued := OptionOf(filesystem, option+"=")
	return plain || valued
}

// MountOptions is the table of mount options.
func MountOptions() []Option {
	table, _ := mountOptions()
	return slices.Clone(table)
}

var mountOptions = sync.OnceValues(func() ([]Option, error) {
	var table []Option
	return table, decode("mountoptions.yaml", &table)
})

// unsafeOptions says whether one of several options weakens durability.
func unsafeOptions(value string) bool {
	return slices.ContainsFunc(split(value), func(option string) bool {
		o, known := OptionOf("", option)
		return known && o.Unsafe
	})
}

// optioned is the canonical form of Options: each once, in the order in which they were
// written. Or why they are none.
func optioned(text string) (canonical, reason string) {
	options := split(text)
	if len(options) == 0 {
		return "", "it has no option"
	}
	for _, option := range options {
		if strings.ContainsAny(option, " \t\\\"'") || strings.HasPrefix(option, "=") {
			return "", "it is not a list such as noatime,commit=30"
		}
	}
	return strings.Join(options, ","), ""
}

// split are the options of a list, each once.
func split(list string) []string {
	var options []string
	for option := range strings.SplitSeq(list, ",") {
		if option = strings.TrimSpace(option); option != "" && !slices.Contains(options, option) {
			options = append(options, option)
		}
	}
	return options
}

// sameOptions compares without regard to order.
func sameOptions(a, b string) bool {
	first, second := split(a), split(b)
	slices.Sort(first)
	slices.Sort(second)
	return slices.Equal(first, second)
}
