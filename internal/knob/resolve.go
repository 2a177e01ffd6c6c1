package knob

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/hint"
)

// engines lists the engines with known parameters, and their product names.
var engines = []struct{ name, called string }{{postgres, "PostgreSQL"}, {redis, "Redis"}}

// Resolve returns the knob of a key: one of the catalog, else a parameter of the engine, or
// of PostgreSQL and then Redis if engine is "". An unknown name, and an invalid or missing
// part after the @, are errors with a hint.
func Resolve(engine string, key Key) (Knob, error) {
	k, known := Find(key.Knob)
	for _, e := range engines {
		if !known && (engine == "" || engine == e.name) {
			k, known = Parameter(e.name, key.Knob)
		}
	}
	if !known {
		return Knob{}, unknown(engine, key.Knob)
	}
	if reason, help := k.Scope.belongs(k, key.On); reason != "" {
		return Knob{}, hint.Errorf(help, "cannot tune %s: %s", key, reason)
	}
	return k, nil
}

// unknown returns the error for an unknown name, with the most similar known one.
func unknown(engine, name string) error {
	candidates := names(All())
	for _, e := range engines {
		own := names(Parameters(e.name))
		if engine == "" || engine == e.name {
			candidates = append(candidates, own...)
		} else if _, known := fold(own, name); known {
			return hint.Errorf("leave it out, or tune a server that has it", "cannot tune %s: it is a parameter of %s", name, e.called)
		}
	}
	// A sysctl without the part before its dot is too different for hint.DidYouMean.
	short := func(candidate string) bool {
		return name != "" && strings.HasSuffix(candidate, "."+strings.ToLower(name))
	}
	if i := slices.IndexFunc(candidates, short); i >= 0 {
		return hint.Errorf("did you mean "+candidates[i]+"?", "cannot tune %q: unknown knob", shortened(name))
	}
	return hint.Errorf(hint.DidYouMean(name, candidates, "run plinth tune knobs for a list"), "cannot tune %q: unknown knob", shortened(name))
}

func names(knobs []Knob) []string {
	list := make([]string, 0, len(knobs))
	for _, k := range knobs {
		list = append(list, k.Name)
	}
	return list
}

// Objects after an @: a NUMA node; an interrupt by its number or a disk by its name.
var (
	node   = regexp.MustCompile(`^(node)?[0-9]{1,5}$`)
	called = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:!-]*$`)
)

// belongs returns why the part after a key's @ is invalid for the scope, and what to write
// instead; "" if it is valid.
func (s Scope) belongs(k Knob, on string) (reason, help string) {
	switch s {
	case OfHost:
		return nothingAfter(on, "the machine", k)
	case OfServer:
		return nothingAfter(on, "the server", k)
	case OfNode:
		return after(node.MatchString(on), on, "a NUMA node", k.Name+"@node0")
	case OfIRQ:
		return after(called.MatchString(on), on, "an interrupt", k.Name+"@24, or the name of a disk after the @")
	case OfDevice:
		return after(called.MatchString(on), on, "a disk", k.Name+"@data, or the name of a disk after the @")
	case OfMount:
		return after(on != "" && !strings.ContainsAny(on, "\n\x00"), on, "a mounted filesystem", k.Name+"@data, or a mount point after the @")
	case OfDomain:
		return after(on == "" || !strings.ContainsAny(on, "/\n\x00"), on, "a domain", k.Name+", or "+k.Name+"@NAME")
	case OfCPU:
		_, notCPUs := listed(on)
		return after(on == "" || notCPUs == "", on, "CPUs", k.Name+" for all of them, or "+k.Name+"@8-13")
	}
	return "", ""
}

func nothingAfter(on, owner string, k Knob) (reason, help string) {
	if on == "" {
		return "", ""
	}
	help = "write " + k.Name
	if k.Name == "vm.nr_hugepages" {
		help += ", or nr_hugepages@node0 for one NUMA node"
	}
	return fmt.Sprintf("it belongs to %s and takes no @ suffix", owner), help
}

func after(right bool, on, owner, example string) (reason, help string) {
	switch {
	case right:
		return "", ""
	case on == "":
		return fmt.Sprintf("it belongs to %s, but none is given", owner), "write " + example
	}
	return fmt.Sprintf("%q is not %s", shortened(on), owner), "write " + example
}
