package libvirt

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"libvirt.org/go/libvirtxml"

	"plinth/internal/hint"
)

// Read returns the values of all knobs in a domain's definition, by name; "" for those left to
// libvirt.
func Read(definition string) (map[string]string, error) {
	d, err := parse(definition)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, k := range knobs {
		values[k.name] = k.get(d)
	}
	return values, nil
}

// Edit returns a definition with other values of knobs, and no other change. "" removes a knob
// from it. The error names an unknown knob, an invalid value, a vCPU that the domain does not
// have, or what would be lost.
func Edit(definition string, values map[string]string) (string, error) {
	before, err := parse(definition)
	if err != nil {
		return "", err
	}
	after, err := parse(definition)
	if err != nil {
		return "", err
	}
	if err := set(after, values); err != nil {
		return "", err
	}
	for _, s := range sections {
		if definition, err = s.edit(definition, before, after); err != nil {
			return "", err
		}
	}
	return definition, nil
}

func parse(definition string) (*libvirtxml.Domain, error) {
	d := &libvirtxml.Domain{}
	if err := d.Unmarshal(definition); err != nil {
		return nil, fmt.Errorf("cannot read the domain's definition: %w", err)
	}
	return d, nil
}

func set(d *libvirtxml.Domain, values map[string]string) error {
	left := map[string]string{}
	for name, value := range values {
		left[name] = value
	}
	for _, k := range knobs { // in this order: some depend on others
		value, asked := left[k.name]
		if !asked {
			continue
		}
		delete(left, k.name)
		if err := k.set(d, strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	for name := range left {
		return hint.Errorf(hint.DidYouMean(name, Names(), "it can be "+strings.Join(Names(), ", ")),
			"a domain has no knob %q", name)
	}
	return nil
}

// edit rewrites the section if its content differs, and nothing else.
func (s section) edit(definition string, before, after *libvirtxml.Domain) (string, error) {
	was, err := s.write(before)
	if err != nil {
		return "", err
	}
	is, err := s.write(after)
	if err != nil || is == was {
		return definition, err
	}
	text, err := s.read(definition)
	if err != nil {
		return "", err
	}
	gone, err := lost(text, was)
	if err != nil {
		return "", err
	}
	if len(gone) > 0 {
		return "", hint.Errorf("change it by hand, with virsh edit",
			"<%s> of the domain has elements or attributes that plinth does not know and would lose: %s", s.name(), strings.Join(gone, ", "))
	}
	return s.replace(definition, is)
}

// restore replaces the sections of a definition with those of another, exactly.
func restore(definition, from string) (string, error) {
	for _, s := range sections {
		text, err := s.read(from)
		if err != nil {
			return "", err
		}
		if definition, err = s.replace(definition, text); err != nil {
			return "", err
		}
	}
	return definition, nil
}

// Names returns the knobs of a domain, in the order in which they are set.
func Names() []string {
	names := make([]string, 0, len(knobs))
	for _, k := range knobs {
		names = append(names, k.name)
	}
	return slices.Clip(names)
}

// knob reads and writes one knob in a definition. The catalog of knobs describes it, in the layer
// hypervisor.
type knob struct {
	name string
	get  func(*libvirtxml.Domain) string // "" if the definition leaves it to libvirt
	set  func(*libvirtxml.Domain, string) error
}

// knobs lists all knobs; I/O threads come before their pins.
var knobs = []knob{
	{"vcpupin", vcpuPin, setVCPUPin},
	{"emulatorpin", emulatorPin, setEmulatorPin},
	{"numatune", numaTune, setNUMATune},
	{"hugepages", hugePages, setHugePages},
	{"locked", locked, setLocked},
	{"cpu_mode", cpuMode, setCPUMode},
	{"memballoon", memBalloon, setMemBalloon},
	{"iothreads", ioThreads, setIOThreads},
	{"iothreadpin", ioThreadPin, setIOThreadPin},
}

// lost returns the elements, attributes and text of one XML text that another lacks, regardless
// of order and white space. It finds what libvirtxml does not know and would drop.
func lost(before, after string) ([]string, error) {
	had, err := pieces(before)
	if err != nil {
		return nil, err
	}
	has, err := pieces(after)
	if err != nil {
		return nil, err
	}
	for _, piece := range has {
		if at := slices.Index(had, piece); at >= 0 {
			had = slices.Delete(had, at, at+1)
		}
	}
	return had, nil
}

// pieces returns everything in an XML text, each with its path: "/cpu/topology@cores=4".
func pieces(text string) (all []string, err error) {
	dec := xml.NewDecoder(strings.NewReader(text))
	path := ""
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			path += "/" + t.Name.Local
			all = append(all, path)
			for _, a := range t.Attr {
				all = append(all, path+"@"+a.Name.Local+"="+a.Value)
			}
		case xml.EndElement:
			path = path[:strings.LastIndexByte(path, '/')]
		case xml.CharData:
			if words := strings.TrimSpace(string(t)); words != "" {
				all = append(all, path+": "+words)
			}
		}
	}
}
