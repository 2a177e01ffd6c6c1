package libvirt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// Domain is a domain that libvirt has defined. Nothing is kept between two calls, so
// that what others change in between is seen.
type Domain struct {
	virsh virsh
	name  string
}

// Find finds a domain by its name, at a URI of libvirt ("qemu:///system"; "" for
// virsh's own choice). Without a name it is the only one that there is.
//
// The error says that virsh is not installed, libvirt cannot be reached, there is no
// such domain (with the nearest name), or that there are several.
func Find(ctx context.Context, l launch.Launcher, uri, name string) (*Domain, error) {
	v, err := newVirsh(l, uri)
	if err != nil {
		return nil, fmt.Errorf("cannot ask libvirt for its domains: %w", err)
	}
	out, err := v.run(ctx, "list", "--all", "--name")
	if err != nil {
		return nil, fmt.Errorf("cannot ask libvirt for its domains: %w", err)
	}
	names := slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return line == "" })
	switch {
	case slices.Contains(names, name):
		return &Domain{v, name}, nil
	case name != "":
		return nil, hint.Errorf(hint.DidYouMean(name, names, "virsh list --all names them"), "libvirt has no domain %q", name)
	case len(names) == 0:
		return nil, hint.Errorf("name another libvirt: qemu:///system", "libvirt has no domain here")
	case len(names) > 1:
		return nil, hint.Errorf("name one of them", "libvirt has %d domains: %s", len(names), strings.Join(names, ", "))
	}
	return &Domain{v, names[0]}, nil
}

// Name is the domain's.
func (d *Domain) Name() string { return d.name }

// URI is where libvirt was asked; "" for virsh's own choice.
func (d *Domain) URI() string { return d.virsh.uri }

// Values are what its definition says, by the names of knobs; "" for what it leaves to
// libvirt.
func (d *Domain) Values(ctx context.Context) (map[string]string, error) {
	definition, err := d.XML(ctx)
	if err != nil {
		return nil, err
	}
	return Read(definition)
}

// Live are the values that it runs with, which are those of its last start; nil while
// it does not run.
func (d *Domain) Live(ctx context.Context) (map[string]string, error) {
	runs, err := d.runs(ctx)
	if err != nil || !runs {
		return nil, err
	}
	out, err := d.virsh.run(ctx, "dumpxml", "--domain", d.name)
	if err != nil {
		return nil, fmt.Errorf("cannot read what the domain %s runs with: %w", d.name, err)
	}
	return Read(out)
}

func (d *Domain) runs(ctx context.Context) (bool, error) {
	out, err := d.virsh.run(ctx, "domstate", "--domain", d.name)
	if err != nil {
		return false, fmt.Errorf("cannot tell whether the domain %s runs: %w", d.name, err)
	}
	return strings.TrimSpace(out) != "shut off", nil
}

// XML is its definition as libvirt prints it, without the secrets that are in it
// (passwords of graphics): it is fit for a journal.
func (d *Domain) XML(ctx context.Context) (string, error) {
	out, err := d.virsh.run(ctx, "dumpxml", "--inactive", "--domain", d.name)
	if err != nil {
		return "", fmt.Errorf("cannot read the definition of the domain %s: %w", d.name, err)
	}
	return out, nil
}

// Set defines it anew, once, with these values of knobs, and all else as it is. They
// act when it starts next. libvirt takes all of them or none; the error is in its
// words, or names a knob or a value that there is not.
func (d *Domain) Set(ctx context.Context, values map[string]string) error {
	if err := d.redefine(ctx, func(now string) (string, error) { return Edit(now, values) }); err != nil {
		return fmt.Errorf("cannot change the domain %s: %w", d.name, err)
	}
	return nil
}

// Put defines it as it was: all that knobs are in, letter by letter, is that of xml, an
// earlier XML. What others have changed elsewhere in it since stays theirs, and the
// secrets that an XML lacks stay in it; else XML is to the byte what it was.
func (d *Domain) Put(ctx context.Context, xml string) error {
	if err := d.redefine(ctx, func(now string) (string, error) { return restore(now, xml) }); err != nil {
		return fmt.Errorf("cannot define the domain %s as it was: %w", d.name, err)
	}
	return nil
}

// redefine defines what change makes of the definition with all its secrets: a define
// without them would lose them. Nothing is defined where nothing changes.
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
		return fmt.Errorf("cannot hand the definition to virsh: %w", err)
	}
	defer done()
	_, err = d.virsh.run(ctx, "define", "--file", path)
	return err
}
