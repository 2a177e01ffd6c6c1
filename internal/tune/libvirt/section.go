package libvirt

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"libvirt.org/go/libvirtxml"
)

// section is an element of a definition that contains knobs.
type section struct {
	path []string // relative to the domain: "devices", "memballoon"
	of   func(*libvirtxml.Domain) any
}

// sections lists all elements that plinth writes.
var sections = []section{
	{[]string{"memoryBacking"}, func(d *libvirtxml.Domain) any { return d.MemoryBacking }},
	{[]string{"iothreads"}, func(d *libvirtxml.Domain) any { return count(d.IOThreads) }},
	{[]string{"iothreadids"}, func(d *libvirtxml.Domain) any { return d.IOThreadIDs }},
	{[]string{"cputune"}, func(d *libvirtxml.Domain) any { return d.CPUTune }},
	{[]string{"numatune"}, func(d *libvirtxml.Domain) any { return d.NUMATune }},
	{[]string{"cpu"}, func(d *libvirtxml.Domain) any { return d.CPU }},
	{[]string{"devices", "memballoon"}, func(d *libvirtxml.Domain) any { return balloonOf(d) }},
}

// count returns nil for 0, which has no element.
func count(n uint) *uint {
	if n == 0 {
		return nil
	}
	return &n
}

func balloonOf(d *libvirtxml.Domain) *libvirtxml.DomainMemBalloon {
	if d.Devices == nil {
		return nil
	}
	return d.Devices.MemBalloon
}

func (s section) name() string { return s.path[len(s.path)-1] }

// write returns the section of a domain as XML; "" if it has none. The format is libvirt's, so
// that a definition differs only in what was changed. A quotation mark within an attribute or
// text is written as &#34;.
func (s section) write(d *libvirtxml.Domain) (string, error) {
	var text strings.Builder
	indent := strings.Repeat("  ", len(s.path))
	enc := xml.NewEncoder(&text)
	enc.Indent(indent, "  ")
	err := enc.EncodeElement(s.of(d), xml.StartElement{Name: xml.Name{Local: s.name()}})
	if err == nil {
		err = enc.Close()
	}
	printed := strings.ReplaceAll(strings.TrimSpace(text.String()), `"`, `'`)
	return emptyEnd.ReplaceAllLiteralString(printed, "/>"), err
}

// emptyEnd matches the end of an empty element: other end tags follow text or a new line.
var emptyEnd = regexp.MustCompile(`></[a-zA-Z]+>`)

// read returns the section exactly as in a definition; "" if it has none.
func (s section) read(definition string) (string, error) {
	at, err := s.find(definition)
	if errors.Is(err, errNoParent) {
		return "", nil
	}
	return definition[at.begin:at.end], err
}

// replace replaces the section with text; "" removes it.
func (s section) replace(definition, text string) (string, error) {
	at, err := s.find(definition)
	if errors.Is(err, errNoParent) && len(s.path) > 1 {
		if text == "" {
			return definition, nil
		}
		parent := section{path: s.path[:len(s.path)-1]}
		indent := strings.Repeat("  ", len(s.path))
		return parent.replace(definition, fmt.Sprintf("<%s>\n%s%s\n%s</%s>", parent.name(), indent, text, indent[2:], parent.name()))
	}
	if err != nil {
		return "", err
	}
	switch {
	case at.begin == at.end && text == "":
		return definition, nil
	case at.begin == at.end && !strings.HasPrefix(definition[at.begin:], "</"):
		return "", fmt.Errorf("no parent element for <%s>", s.name()) // <domain/>; libvirt never prints that
	case at.begin == at.end: // on a separate line, at the end of its parent
		indent := strings.Repeat("  ", len(s.path))
		before := strings.TrimRight(definition[:at.begin], " ")
		return before + indent + text + "\n" + indent[2:] + definition[at.begin:], nil
	case text == "": // with its line
		return strings.TrimRight(definition[:at.begin], " \t\r\n") + definition[at.end:], nil
	}
	return definition[:at.begin] + text + definition[at.end:], nil
}

// errNoParent reports that the parent of a section does not exist either.
var errNoParent = errors.New("the definition is not a domain, or lacks the parent of the element to change")

// span is a range in a text, in bytes; if empty, the place of insertion.
type span struct{ begin, end int64 }

// find returns the range of the section; if it does not exist, the end of its parent.
func (s section) find(definition string) (span, error) {
	dec := xml.NewDecoder(strings.NewReader(definition))
	var open []string
	var found span
	for {
		before := dec.InputOffset()
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return span{}, errNoParent
		}
		if err != nil {
			return span{}, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			open = append(open, t.Name.Local)
			if s.is(open) {
				found.begin = before
			}
		case xml.EndElement:
			switch {
			case s.is(open):
				found.end = dec.InputOffset()
				return found, nil
			case s.isParent(open):
				return span{before, before}, nil
			}
			open = open[:len(open)-1]
		}
	}
}

func (s section) is(open []string) bool {
	return len(open) == len(s.path)+1 && s.isParent(open[:len(open)-1]) && open[len(open)-1] == s.name()
}

func (s section) isParent(open []string) bool {
	return len(open) == len(s.path) && open[0] == "domain" && slices.Equal(open[1:], s.path[:len(s.path)-1])
}
