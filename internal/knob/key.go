package knob

import "strings"

// Key names a knob and what it belongs to, as experiment files, profiles, tables and
// the command line write it: "vm.swappiness", "read_ahead_kb@data",
// "scaling_governor@8-13", "bgwriter_delay".
type Key struct {
	Knob string
	On   string // "" for the machine, all CPUs, the server
}

// ParseKey splits a key at its @.
func ParseKey(text string) Key {
	name, on, _ := strings.Cut(text, "@")
	return Key{strings.TrimSpace(name), strings.TrimSpace(on)}
}

// String is the key as it is written.
func (k Key) String() string {
	if k.On == "" {
		return k.Knob
	}
	return k.Knob + "@" + k.On
}

// MarshalText is String, so that a Key is a word in JSON, and the key of a map.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText is ParseKey.
func (k *Key) UnmarshalText(text []byte) error {
	*k = ParseKey(string(text))
	return nil
}
