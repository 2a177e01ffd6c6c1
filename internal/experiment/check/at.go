package check

import (
	"cmp"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/reach/address"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// machine checks the machine of an environment. The paths of its storage are paths there, where the
// directory that plinth was started in has no meaning.
func machine(notes *mistake.Notes, env *experiment.Environment, where string) {
	if entrance(notes, &env.At, where+".at"); !env.At.There() || !notes.Sound(&env.At) {
		return
	}
	for _, path := range env.Paths() {
		if *path == "" || filepath.IsAbs(*path) || !notes.Sound(path) {
			continue
		}
		if notes.Places[path] == nil { // the default, which is the current directory
			notes.Add(notes.Places[&env.At], "add storage: {data: /mnt/ssd}, with a directory of that machine", "%s: an environment on another machine needs storage", where)
			continue
		}
		notes.Add(notes.Places[path], "write the whole path", "%s: %s is relative, and the environment is on another machine", where, *path)
	}
}

// entrance checks how a machine is entered.
func entrance(notes *mistake.Notes, at *experiment.At, where string) {
	if !at.Given() || !notes.Sound(at) {
		return
	}
	place := notes.Places[at]
	switch {
	case at.SSH != "" && len(at.Command) > 0:
		notes.Add(place, "leave one of them out", "%s: ssh and command cannot be given together", where)
	case at.SSH == experiment.Here && at.Become != "":
		notes.Add(place, "start plinth with sudo", "%s: become does not apply to the machine that plinth was started on", where)
	case at.SSH == experiment.Here:
	case at.Become != "" && at.SSH == "":
		notes.Add(place, "make sudo a part of the command: [sudo, -n, plinth, agent]", "%s: become applies only to ssh", where)
	case at.SSH != "":
		if _, err := address.Parse(at.SSH); err != nil {
			notes.Add(place, hint.Of(err), "%s: %v", where, err)
		}
	}
}

// generators checks the machines of the load generators.
func generators(notes *mistake.Notes, e *experiment.Experiment) {
	number := max(len(e.Driver.At), e.Driver.Pods)
	for i := range e.Driver.At {
		at := &e.Driver.At[i]
		entrance(notes, at, "driver.at")
		same := func(other experiment.At) bool { return other.Machine() == at.Machine() }
		if notes.Sound(at) && slices.ContainsFunc(e.Driver.At[:i], same) {
			notes.Add(notes.Places[at], "leave one of them out", "driver.at: %s is in the list twice", cmp.Or(at.Machine(), experiment.Here))
		}
	}
	if e.Generator == "redis-benchmark" && number > 0 && notes.Sound(&e.Generator) && slices.ContainsFunc(e.Environments, own) {
		notes.Add(notes.Places[&e.Generator], "use generator: plinth", "generator: redis-benchmark cannot give a password, and a server that load generators elsewhere reach has one")
	}
	for i := range e.Environments {
		network(notes, e, &e.Environments[i])
	}
	if number > 1 && notes.Sound(&e.Clients, &e.Threads) {
		shares(notes, e, number)
	}
}

// shares checks that several load generators can share the load.
func shares(notes *mistake.Notes, e *experiment.Experiment, number int) {
	if most := int64(slices.Max(e.Clients)); e.Transactions > 0 && e.Transactions < most && notes.Sound(&e.Transactions) {
		notes.Add(notes.Places[&e.Transactions], "give at least one for each client", "transactions: %d cannot be shared by several load generators with %s",
			e.Transactions, unit.Count(most, "client"))
	}
	for _, list := range []struct {
		key    string
		values *[]int
	}{{"clients", &e.Clients}, {"threads", &e.Threads}} {
		if least := slices.Min(*list.values); least < number {
			notes.Add(first(notes.Places[list.values], notes.Places[&e.Driver.At], notes.Places[&e.Driver.Pods]), "give at least "+strconv.Itoa(number)+", or fewer load generators in driver",
				"%s: %d cannot be shared by %d load generators, of which each needs one", list.key, least, number)
		}
	}
}

// network checks that load generators on other machines can reach an existing server.
func network(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment) {
	if env.Connect == "" || !notes.Sound(&env.Connect) {
		return
	}
	address, over := env.Connect.TCP()
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	if over && host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return
	}
	for _, at := range e.Driver.At {
		if at.Machine() != env.At.Machine() {
			notes.Add(notes.Places[&env.Connect], "give the host and the port by which they reach it",
				"environments.%s.connect: the server is reached from its own machine only, and %s is another one", strictyaml.Bare(env.Name), cmp.Or(at.Machine(), "this machine"))
			return
		}
	}
}

func own(e experiment.Environment) bool { return !e.Existing() }

// listen checks the address at which a server is reached.
func listen(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, where string) {
	if env.Listen == "" || !notes.Sound(&env.Listen) {
		return
	}
	place := notes.Places[&env.Listen]
	switch address, err := netip.ParseAddr(env.Listen); {
	case env.Connect.Secret() != "":
		notes.Add(place, "leave one of them out", "%s: listen cannot be combined with connect", where)
	case !e.Driver.Elsewhere():
		notes.Add(place, "leave it out, or say where the load generators are: driver: {at: ssh://load1}", "%s: without driver, nothing reaches the server over a network, and it listens nowhere", where)
	case err != nil || address.Zone() != "":
		notes.Add(place, "write it as 10.0.0.5 or fd00::5", "%s.listen: %s is not an IP address", where, strictyaml.Quote(env.Listen))
	case address.IsUnspecified() || address.IsMulticast():
		notes.Add(place, "give an address of that machine's", "%s.listen: the server listens on one address only, and %s stands for several", where, env.Listen)
	}
}

// oneAccount checks that each machine is entered in one way.
func oneAccount(notes *mistake.Notes, e *experiment.Experiment) {
	become := map[string]string{}
	one := func(at *experiment.At, where string) {
		if !at.There() {
			return
		}
		before, known := become[at.Machine()]
		if known && before != at.Become {
			notes.Add(notes.Places[at], "write become in all of them, or in none", "%s.at: %s is entered with and without become", where, at.Machine())
		}
		become[at.Machine()] = at.Become
	}
	for i := range e.Environments {
		one(&e.Environments[i].At, "environments."+strictyaml.Bare(e.Environments[i].Name))
	}
	for i := range e.Driver.At {
		one(&e.Driver.At[i], "driver")
	}
}
