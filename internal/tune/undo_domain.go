package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"plinth/internal/hint"
)

// undoDomain defines a domain as it was, unless somebody else changed it since.
func (u *undo) undoDomain(ctx context.Context, args json.RawMessage) error {
	var c domainChange
	if err := json.Unmarshal(args, &c); err != nil {
		return err
	}
	d := u.domains[c.Name]
	if d == nil {
		return hint.Errorf("name it with --domain, and its libvirt with --libvirt",
			"cannot put back %s: it is not reached here", c.Knob)
	}
	xml, err := d.XML(ctx)
	if err != nil || xml == c.XML {
		return err
	}
	ours, err := u.oursDomain(ctx, d, c)
	if err != nil {
		return err
	}
	if !ours {
		return hint.Wrap(&TheirsError{c.Knob, c.Name, c.Was, c.Set, "another definition"}, adoptHint)
	}
	if err := d.Put(ctx, c.XML); err != nil {
		return err
	}
	if xml, err = d.XML(ctx); err == nil && xml != c.XML {
		err = fmt.Errorf("cannot put back %s: libvirt has it otherwise than it was", c.Knob)
	}
	return err
}

// oursDomain says whether a definition is the one that plinth left; where plinth did
// not come to note that, whether it has the values that it was given at once.
func (u *undo) oursDomain(ctx context.Context, d Domain, c domainChange) (bool, error) {
	if _, theirs := u.theirs[domainPrefix+c.Name]; u.known {
		return !theirs, nil
	}
	now, err := d.Values(ctx)
	for name, value := range c.Values {
		if !same(name, now[name], value) {
			return false, err
		}
	}
	return true, err
}

// Mounts and domains among what an apply left, beside the paths of files.
const (
	domainPrefix = "domain "
	mountPrefix  = "mount "
)

// pairsOf are values in words, in order: "numatune strict 1, vcpupin 0=8".
func pairsOf(values map[string]string, of []string) string {
	text := ""
	for _, name := range slices.Sorted(slices.Values(of)) {
		if text != "" {
			text += ", "
		}
		value := values[name]
		if value == "" {
			value = "not set"
		}
		text += name + " " + value
	}
	return text
}
