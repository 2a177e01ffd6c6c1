package knob

import "strings"

// Key identifies a knob and the object it belongs to, in the form of experiment files,
// profiles, tables and the command line: "vm.swappiness", "read_ahead_kb@data",
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

// String returns the key in its written form.
func (k Key) String() string {
	if k.On == "" {
		return k.Knob
	}
	return k.Knob + "@" + k.On
}

// MarshalText returns String, so that a Key is a string in JSON and can be the key of a map.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText parses a key like ParseKey.
func (k *Key) UnmarshalText(text []byte) error {
	*k = ParseKey(string(text))
	return nil
}
