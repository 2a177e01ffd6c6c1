package knob

import (
	"slices"
	"strings"
	"sync"
)

// Remounted is the effect of a remount on a mount option.
type Remounted string

// Effects of a remount, as tested on Linux 6.18.
const (
	Changes Remounted = "changes" // the option takes effect
	Ignored Remounted = "ignored" // the remount succeeds, and nothing changes
	Refused Remounted = "refused" // the remount fails
)

// Option is a mount option, with the effect of a remount on it.
type Option struct {
	// Name is the option as written; if it takes a value, it ends in = and covers all values.
	Name string `yaml:"name"`
	// Filesystems are those that have the option; none means all.
	Filesystems []string  `yaml:"filesystems"`
	Remount     Remounted `yaml:"remount"`
	// Clears are the options that it replaces: noatime replaces relatime.
	Clears []string `yaml:"clears"`
	// Hidden options are defaults, which /proc/self/mountinfo does not show.
	Hidden bool `yaml:"hidden"`
	// Unsafe options weaken durability.
	Unsafe bool   `yaml:"unsafe"`
	Doc    string `yaml:"doc"`
}

// Needs returns what must happen before the option takes effect on a mounted filesystem.
func (o Option) Needs() Needs {
	if o.Remount == Changes {
		return Remount
	}
	return FreshMount
}

// OptionOf finds a mount option of a filesystem, with or without its value: "noatime",
// "commit=30". Filesystem "" means any.
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

// MountOption reports whether a filesystem has an option; its value, and the = before it,
// may be missing.
func MountOption(filesystem, option string) bool {
	_, plain := OptionOf(filesystem, option)
	_, valued := OptionOf(filesystem, option+"=")
	return plain || valued
}

// MountOptions returns the table of mount options.
func MountOptions() []Option {
	table, _ := mountOptions()
	return slices.Clone(table)
}

var mountOptions = sync.OnceValues(func() ([]Option, error) {
	var table []Option
	return table, decode("mountoptions.yaml", &table)
})

// unsafeOptions reports whether any of several options weakens durability.
func unsafeOptions(value string) bool {
	return slices.ContainsFunc(split(value), func(option string) bool {
		o, known := OptionOf("", option)
		return known && o.Unsafe
	})
}

// optioned returns the canonical form of Options, each once in the order written, or the
// reason why they are invalid.
func optioned(text string) (canonical, reason string) {
	options := split(text)
	if len(options) == 0 {
		return "", "it contains no option"
	}
	for _, option := range options {
		if strings.ContainsAny(option, " \t\\\"'") || strings.HasPrefix(option, "=") {
			return "", "it is not a list such as noatime,commit=30"
		}
	}
	return strings.Join(options, ","), ""
}

// split returns the options of a list, each once.
func split(list string) []string {
	var options []string
	for option := range strings.SplitSeq(list, ",") {
		if option = strings.TrimSpace(option); option != "" && !slices.Contains(options, option) {
			options = append(options, option)
		}
	}
	return options
}

// sameOptions compares lists of options, ignoring their order.
func sameOptions(a, b string) bool {
	first, second := split(a), split(b)
	slices.Sort(first)
	slices.Sort(second)
	return slices.Equal(first, second)
}
