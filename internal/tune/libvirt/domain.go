package libvirt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// Domain is a domain defined in libvirt. It caches nothing between calls, so each call sees
// changes made by others.
type Domain struct {
	virsh virsh
	name  string
}

// Find finds a domain by its name, at a libvirt URI ("qemu:///system"; "" for virsh's default).
// Without a name it returns the only domain.
//
// It returns an error if virsh is not installed, libvirt cannot be reached, there is no such
// domain (with a suggestion), or there are several.
func Find(ctx context.Context, l launch.Launcher, uri, name string) (*Domain, error) {
	v, err := newVirsh(l, uri)
	if err != nil {
		return nil, fmt.Errorf("cannot query the domains of libvirt: %w", err)
	}
	out, err := v.run(ctx, "list", "--all", "--name")
	if err != nil {
		return nil, fmt.Errorf("cannot query the domains of libvirt: %w", err)
	}
	names := slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return line == "" })
	switch {
	case slices.Contains(names, name):
		return &Domain{v, name}, nil
	case name != "":
		return nil, hint.Errorf(hint.DidYouMean(name, names, "list the domains with virsh list --all"), "libvirt has no domain %q", name)
	case len(names) == 0:
		return nil, hint.Errorf("give another URI of libvirt with --libvirt, such as qemu:///system", "libvirt has no domain at this URI")
	case len(names) > 1:
		return nil, hint.Errorf("name one of them with --domain", "libvirt has %d domains: %s", len(names), strings.Join(names, ", "))
	}
	return &Domain{v, names[0]}, nil
}

// Name returns the name of the domain.
func (d *Domain) Name() string { return d.name }

// URI returns libvirt's URI; "" for virsh's default.
func (d *Domain) URI() string { return d.virsh.uri }

// Values returns the values in the definition by knob name; "" for those left to libvirt.
func (d *Domain) Values(ctx context.Context) (map[string]string, error) {
	definition, err := d.XML(ctx)
	if err != nil {
		return nil, err
	}
	return Read(definition)
}

// Live returns the values of the running domain, which are those of its last start; nil if it
// does not run.
func (d *Domain) Live(ctx context.Context) (map[string]string, error) {
	runs, err := d.runs(ctx)
	if err != nil || !runs {
		return nil, err
	}
	out, err := d.virsh.run(ctx, "dumpxml", "--domain", d.name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the running definition of the domain %s: %w", d.name, err)
	}
	return Read(out)
}

func (d *Domain) runs(ctx context.Context) (bool, error) {
	out, err := d.virsh.run(ctx, "domstate", "--domain", d.name)
	if err != nil {
		return false, fmt.Errorf("cannot determine whether the domain %s is running: %w", d.name, err)
	}
	return strings.TrimSpace(out) != "shut off", nil
}

// XML returns the definition as libvirt prints it, without secrets (passwords of graphics), so
// that a journal may keep it.
func (d *Domain) XML(ctx context.Context) (string, error) {
	out, err := d.virsh.run(ctx, "dumpxml", "--inactive", "--domain", d.name)
	if err != nil {
		return "", fmt.Errorf("cannot read the definition of the domain %s: %w", d.name, err)
	}
	return out, nil
}

// Set redefines the domain once with these values of knobs, and changes nothing else. They take
// effect at its next start. libvirt accepts all of them or none; the error is in libvirt's words,
// or names an unknown knob or an invalid value.
func (d *Domain) Set(ctx context.Context, values map[string]string) error {
	if err := d.redefine(ctx, func(now string) (string, error) { return Edit(now, values) }); err != nil {
		return fmt.Errorf("cannot change the domain %s: %w", d.name, err)
	}
	return nil
}

// Put restores the sections that contain knobs exactly as in xml, an earlier result of XML.
// Changes that others made elsewhere in the definition stay, and so do secrets, which xml lacks.
// Without such changes, XML returns the same bytes as before.
func (d *Domain) Put(ctx context.Context, xml string) error {
	if err := d.redefine(ctx, func(now string) (string, error) { return restore(now, xml) }); err != nil {
		return fmt.Errorf("cannot restore the definition of the domain %s: %w", d.name, err)
	}
	return nil
}

// redefine applies change to the definition, secrets included: a define without them would lose
// them. It does nothing if the definition stays the same.
func (d *Domain) redefine(ctx context.Context, change func(string) (string, error)) error {
	now, err := d.virsh.run(ctx, "dumpxml", "--inactive", "--security-info", "--domain", d.name)
	if err != nil {
		return err
	}
	then, err := change(now)
	if err != nil || then == now {
		return err
	}
	path, done, err := lend(then)
	if err != nil {
		return fmt.Errorf("cannot pass the definition to virsh: %w", err)
	}
	defer done()
	_, err = d.virsh.run(ctx, "define", "--file", path)
	return err
}
