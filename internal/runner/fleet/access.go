package fleet

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// access returns, for each member, how the load generators reach the servers of its environments.
// Machines are in the order of the members.
func (f *Fleet) access(machines []site.Machine) ([]map[string]engine.Access, error) {
	all := make([]map[string]engine.Access, len(f.members))
	if len(f.drivers) == 0 {
		return all, nil
	}
	for _, e := range f.environments {
		if e.Connect.Secret() != "" {
			continue
		}
		i := f.of[e.Name]
		address, err := f.addressOf(e, machines[i].Addresses)
		if err != nil {
			return nil, &site.InputError{Err: fmt.Errorf("environment %s: %w", e.Name, err)}
		}
		a := engine.Access{Address: address}
		if address.IsLoopback() { // for load generators on the same machine, or in its network namespace
			a.Drivers = []netip.Addr{address}
		}
		for _, d := range f.drivers {
			for _, from := range machines[d].Addresses {
				if !address.IsLoopback() && from.Is4() == address.Is4() && !slices.Contains(a.Drivers, from) {
					a.Drivers = append(a.Drivers, from)
				}
			}
		}
		if len(a.Drivers) == 0 {
			return nil, &site.InputError{Err: hint.Errorf("set listen to an address of the other family (IPv4 or IPv6), or give the load generator's machine one of this family",
				"environment %s: no load generator has an address from which it could reach %s", e.Name, address)}
		}
		if all[i] == nil {
			all[i] = map[string]engine.Access{}
		}
		all[i][e.Name] = a
	}
	return all, nil
}

// addressOf returns the address at which the load generators reach an environment: the given one, the
// one at which plinth reached the machine, or the machine's only one.
func (f *Fleet) addressOf(e experiment.Environment, has []netip.Addr) (netip.Addr, error) {
	m := f.member(e.Name)
	if e.Listen != "" {
		address, err := netip.ParseAddr(e.Listen)
		if err == nil && !address.IsLoopback() && !slices.Contains(has, address) {
			err = hint.Errorf("it has "+list(has), "%s has no address %s", record.MachineName(m.At), address)
		}
		return address, err
	}
	if !slices.ContainsFunc(f.drivers, func(d int) bool { return d != f.of[e.Name] }) {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil // all load generators are on the same machine
	}
	known := []netip.Addr{m.Address}
	if m.At == "" { // as the machines of the load generators see it
		for _, d := range f.drivers {
			known = append(known, f.members[d].From)
		}
	}
	for _, address := range known {
		if slices.Contains(has, address) {
			return address, nil
		}
	}
	if len(has) == 1 {
		return has[0], nil
	}
	return netip.Addr{}, hint.Errorf("give one of them with listen: "+list(has),
		"it is not known at which address of %s the load generators reach it", record.MachineName(m.At))
}

func list(addresses []netip.Addr) string {
	if len(addresses) == 0 {
		return "none, except for loopback"
	}
	var texts []string
	for _, a := range addresses {
		texts = append(texts, a.String())
	}
	return strings.Join(texts, ", ")
}
