package layout

import (
	_ "embed"
	"slices"
	"sync"

	"plinth/internal/strictyaml"
)

// Rule says how a volume is made, or which setting follows from it. The file rules.yaml explains the
// keys.
type Rule struct {
	Name       string   `yaml:"name" json:"name"`
	When       When     `yaml:"when" json:"-"`
	Filesystem string   `yaml:"filesystem" json:"filesystem,omitempty"`
	Mkfs       []string `yaml:"mkfs" json:"mkfs,omitempty"`
	Mount      []string `yaml:"mount" json:"mount,omitempty"`
	Set        string   `yaml:"set" json:"set,omitempty"`
	Never      string   `yaml:"never" json:"never,omitempty"`
	Source     string   `yaml:"source" json:"source"`
	Why        string   `yaml:"why" json:"why"`
}

// When is the conditions of a rule: all must hold, and an empty one is none.
type When struct {
	Role   []string `yaml:"role"`
	Medium []string `yaml:"medium"`
	Array  bool     `yaml:"array"`
}

// Applied is a rule and the volumes that it applies to.
type Applied struct {
	Rule
	To []string `json:"to"`
}

//go:embed rules.yaml
var rulesYAML []byte

// Rules returns all rules, in the order in which they apply. A test checks that they can be read.
var Rules = sync.OnceValue(func() (all []Rule) {
	if strictyaml.Decode(rulesYAML, &all) != nil {
		return nil
	}
	return all
})

func (w When) holds(v Volume, d Disk) bool {
	return (len(w.Role) == 0 || slices.Contains(w.Role, v.Role)) &&
		(len(w.Medium) == 0 || slices.Contains(w.Medium, v.medium)) &&
		(!w.Array || d.Level >= 0)
}

// follow applies the rules to the volumes: filesystems, options and settings, and then what creates
// them.
func (f *finder) follow(l *Layout) {
	for _, r := range Rules() {
		applied := Applied{Rule: r}
		for i := range l.Volumes {
			v := &l.Volumes[i]
			if !r.When.holds(*v, l.Disks[v.disk]) || r.Filesystem != "" && v.Filesystem != "" {
				continue
			}
			if calculate := settings[r.Set]; calculate != nil {
				s := calculate(f, *v)
				if s.Value == "" {
					continue
				}
				l.Settings = addSetting(l.Settings, s, r)
			}
			applied.To = append(applied.To, v.Name)
			if r.Filesystem != "" {
				v.Filesystem = r.Filesystem
			}
			v.Mkfs, v.Mount = append(v.Mkfs, r.Mkfs...), append(v.Mount, r.Mount...)
		}
		if len(applied.To) > 0 {
			l.Rules = append(l.Rules, applied)
		}
	}
	f.create(l)
}
