package render

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/tune"
	"plinth/internal/tune/libvirt"
)

// isDomain reports whether a change belongs to a virtual machine, as libvirt defines it.
func isDomain(c tune.Change) bool {
	return c.Layer == knob.Hypervisor && slices.Contains(libvirt.Names(), c.Key.Knob)
}

// scaffold holds elements that libvirt.Edit needs in a definition. They are removed afterwards:
// the domain has its own.
const scaffold = "  <memory unit='KiB'>1048576</memory>\n  <vcpu>4096</vcpu>\n"

// libvirtFiles returns the planned elements of a domain's definition, for virsh edit.
func libvirtFiles(made string, changes []tune.Change) ([]File, error) {
	name, notes := "DOMAIN", strings.TrimPrefix(made, "# ")
	values := map[string]string{}
	for _, c := range changes {
		values[c.Key.Knob] = c.Then
		if c.Target != "" {
			name = c.Target
		}
		if c.Reason != "" {
			notes += oneLine(fmt.Sprintf("%s: %s", c.Key.Knob, c.Reason)) + "\n"
		}
	}
	var escaped strings.Builder
	if err := xml.EscapeText(&escaped, []byte(name)); err != nil {
		return nil, err
	}
	text, err := libvirt.Edit("<domain type='kvm'>\n  <name>"+escaped.String()+"</name>\n"+scaffold+"</domain>\n", values)
	if err != nil {
		return nil, fmt.Errorf("cannot write a domain: %w", err)
	}
	for line := range strings.Lines(scaffold) {
		text = strings.Replace(text, line, "", 1)
	}
	notes += "Copy these elements with virsh edit; they take effect at the domain's next start.\n"
	file := strings.NewReplacer("/", "_", "\x00", "_").Replace(name) + ".xml" // no path separators
	// Two hyphens would end the comment.
	return []File{{file, "<!--\n" + strings.ReplaceAll(notes, "--", "- -") + "-->\n" + text}}, nil
}
