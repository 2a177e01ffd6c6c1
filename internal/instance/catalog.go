package instance

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// data is the catalog as tools/instances writes it.
//
//go:embed instances.tsv
var data string

// catalog reads the data once. A test checks that it is valid.
var catalog = sync.OnceValues(func() ([]Instance, error) { return parse(data) })

// Catalog returns all types, by family, then by size.
func Catalog() []Instance {
	all, _ := catalog()
	all = slices.Clone(all)
	for n := range all {
		all[n] = all[n].clone()
	}
	return all
}

// clone returns a copy that shares no mutable data with i.
func (i Instance) clone() Instance {
	if i.Credits != nil {
		credits := *i.Credits
		i.Credits = &credits
	}
	return i
}

// Family returns the family of the type: "m6i" of m6i.large.
func (i Instance) Family() string {
	family, _, _ := strings.Cut(i.Type, ".")
	return family
}

// InFamily returns the types of a family, by size; nil if there is no such family.
func InFamily(name string) []Instance {
	return slices.DeleteFunc(Catalog(), func(i Instance) bool { return i.Family() != name })
}

// managedBy returns i as a managed service runs it.
func (i Instance) managedBy(service Service, name string) Instance {
	i.Name, i.Service = name, service
	if i.Credits != nil {
		i.Credits = i.Credits.managed(service)
	}
	return i
}
