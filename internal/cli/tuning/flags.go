package tuning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/profile"
)

// tuneFlags holds the flags that say what to tune, unparsed.
type tuneFlags struct {
	sets, without []string
	server        string
	data, wal     string
	probes        []string
	domain, uri   string
	unsafe        bool
}

func (f *tuneFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.sets, "set", nil, "set `KEY=VALUE`, overriding the profiles: vm.swappiness=1, read_ahead_kb@data=64")
	flags.StringSliceVar(&f.without, "without", nil, "leave out a `PART`: a layer, a group, or a knob")
	flags.StringVar(&f.server, "server", "", "the `SERVER`: postgresql://user@host/database, \"host=... dbname=...\", redis://host:6379")
	flags.StringVar(&f.data, "data", "", "`DIR` of the data (default: that of the server)")
	flags.StringVar(&f.wal, "wal", "", "`DIR` of the WAL (default: that of the server)")
	flags.StringArrayVar(&f.probes, "probe", nil, "device `FILE` that plinth probe wrote for the disk; wal=FILE for the WAL's disk")
	flags.StringVar(&f.domain, "domain", "", "`NAME` of a libvirt virtual machine")
	flags.StringVar(&f.uri, "libvirt", "", "`URI` of libvirt, such as qemu:///system (default: that of virsh)")
	flags.BoolVar(&f.unsafe, "unsafe", false, "allow values that weaken durability")
}

// profiles returns the named profiles, with the values of --set as a last one. Without either it
// returns plinth's own profile for that kind of server.
func (f *tuneFlags) profiles(names []string, engine string) ([]*profile.Profile, error) {
	if len(names) == 0 && len(f.sets) == 0 {
		names = []string{ownProfile[engine]}
	}
	var all []*profile.Profile
	for _, name := range names {
		p, err := readProfile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	set, err := f.values()
	if err != nil || len(set) == 0 {
		return all, err
	}
	single := profile.Of(set)
	single.Unsafe = f.unsafe
	return append(all, single), nil
}

// ownProfile maps a kind of server to plinth's own profile for it.
var ownProfile = map[string]string{"": "oltp", "postgres": "oltp", "redis": "redis"}

// readProfile returns one of plinth's profiles, or that of a file: a name with a slash, or one
// that ends in .yaml or .yml.
func readProfile(name string) (*profile.Profile, error) {
	if strings.Contains(name, "/") || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return profile.Read(name)
	}
	return profile.Find(name)
}

// values returns the values of --set, by key. It refuses two different values for one knob as
// ambiguous.
func (f *tuneFlags) values() (map[string]string, error) {
	set := map[string]string{}
	for _, text := range f.sets {
		key, value, found := strings.Cut(text, "=")
		key = knob.ParseKey(key).String()
		value = strings.TrimSpace(value)
		if !found || key == "" {
			return nil, hint.Errorf("write --set vm.swappiness=1", "--set %s: not of the form KEY=VALUE", text)
		}
		if k, err := knob.Resolve("", knob.ParseKey(key)); err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		} else if !strings.HasPrefix(value, "=") {
			if _, err := k.Canonical(value); err != nil {
				return nil, fmt.Errorf("--set: %w", err)
			}
		}
		if other, twice := set[key]; twice && other != value {
			return nil, hint.Errorf("leave one of them out", "--set: %s is given twice, as %s and as %s", key, other, value)
		}
		set[key] = value
	}
	return set, noRivals(set)
}

// noRivals refuses to set both of two knobs of which one is zero whenever the other is not.
func noRivals(set map[string]string) error {
	for key, value := range set {
		k, _ := knob.Find(knob.ParseKey(key).Knob)
		if other, both := set[k.Excludes]; both && k.Excludes > k.Name && value != "0" && other != "0" {
			return hint.Errorf("leave one of them out", "--set: %s and %s cannot be set together: the kernel sets one to zero when the other is written", key, k.Excludes)
		}
	}
	return nil
}

// probeOf returns the model file for a role, "data" or "wal"; "" if none is given.
func (f *tuneFlags) probeOf(role string) (string, error) {
	found := ""
	for _, text := range f.probes {
		of, name, named := strings.Cut(text, "=")
		if !named {
			of, name = "data", text
		}
		if !slices.Contains([]string{"data", "wal"}, of) {
			return "", hint.Errorf("write --probe FILE, or --probe wal=FILE", "--probe %s: unknown role %q", text, of)
		}
		if of == role {
			found = name
		}
	}
	return found, nil
}
