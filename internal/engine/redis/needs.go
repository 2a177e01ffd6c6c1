package redis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/engine"
	"plinth/internal/engine/redis/conf"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// What was measured on two cores and a local disk. The rates are of values of 100
// bytes and of 180 kB.
const (
	loadKeys   = 150_000     // keys loaded in a second
	loadRate   = 400_000_000 // bytes loaded in a second
	saveRate   = 200_000_000 // bytes that a save, and a start, write and read in a second
	loadFixed  = 200 * time.Millisecond
	switchTime = 300 * time.Millisecond
)

// Needs estimates what an environment's own server will take, before anything is
// made. A dataset that the machine cannot hold is refused. A connected server takes
// nothing of this machine.
func (Kind) Needs(e *experiment.Experiment, env experiment.Environment) (engine.Needs, error) {
	needs := engine.Needs{LoadTime: loadTime(e, env)}
	if env.Connect.Secret() != "" {
		return needs, nil
	}
	needs.Memory = serverBytes + liveMemory(e, env)
	if err := checkMemory(e, env, needs.Memory+clientMemory(e)); err != nil {
		return needs, fmt.Errorf("environment %s: %w", env.Name, err)
	}
	disk, err := diskNeeds(e, env)
	if err != nil {
		return needs, fmt.Errorf("environment %s: %w", env.Name, err)
	}
	needs.Volumes = map[string]int64{experiment.RoleData: disk}
	needs.SwitchTime = switchTime + 2*seconds(liveDisk(e, env), saveRate)
	return needs, nil
}

func loadTime(e *experiment.Experiment, env experiment.Environment) time.Duration {
	data := e.KeysOf(env)
	keys := data.Keys + readKeys(e)
	bytes := data.Keys*int64(data.Size) + readKeys(e)*int64(e.Payload)
	return loadFixed + seconds(keys, loadKeys) + seconds(bytes, loadRate)
}

func seconds(amount, rate int64) time.Duration {
	return time.Duration(float64(amount) / float64(rate) * float64(time.Second))
}

// checkMemory refuses what the machine, or the server's limit, can never hold. What
// is free now is Probe's to look at: here other environments may be loaded already.
func checkMemory(e *experiment.Experiment, env experiment.Environment, needed int64) error {
	facts, err := host.ReadFacts()
	if err != nil {
		return err
	}
	if err := fits(e, env, needed, facts.Memory, "this machine has"); err != nil {
		return err
	}
	return fits(e, env, needed, int64(env.Limits.Memory), "limits.memory is")
}

// checkFree refuses what has no room in the memory that is free now.
func checkFree(e *experiment.Experiment, env experiment.Environment) error {
	available, err := host.AvailableMemory()
	if err != nil {
		return err
	}
	if err := fits(e, env, serverBytes+liveMemory(e, env)+clientMemory(e), available, "of this machine's memory are available"); err != nil {
		return err
	}
	// With noeviction the server itself refuses the keys that are too many; with any
	// other policy they vanish, and Describe says so.
	p, err := policyOf(e.SettingsOf(env))
	if err != nil || p.evicts {
		return err
	}
	return fits(e, env, serverBytes+liveMemory(e, env), p.maxmemory, "maxmemory is")
}

// policy is what the declared settings say of memory and of files.
type policy struct {
	maxmemory int64
	evicts    bool
	aof       bool
	rewrites  bool  // by itself
	growth    int64 // percent by which the append-only file has to grow until it is rewritten
	least     int64 // bytes that it has to have
}

// policyOf reads the settings that decide. Those that are not declared have the
// defaults of redis.conf; what is misspelt is the server's to refuse.
func policyOf(settings map[string]string) (policy, error) {
	get := func(name, otherwise string) string {
		for declared, value := range settings {
			if strings.EqualFold(declared, name) {
				return strings.ToLower(value)
			}
		}
		return otherwise
	}
	p := policy{aof: get("appendonly", "no") == "yes"}
	p.evicts = get("maxmemory-policy", "noeviction") != "noeviction"
	p.growth, _ = strconv.ParseInt(get("auto-aof-rewrite-percentage", "100"), 10, 64)
	p.rewrites = p.growth > 0
	var err error
	for _, one := range []struct {
		into            *int64
		name, otherwise string
	}{{&p.maxmemory, "maxmemory", "0"}, {&p.least, "auto-aof-rewrite-min-size", "64mb"}} {
		if *one.into, err = conf.Memory(get(one.name, one.otherwise)); err != nil {
			return p, fmt.Errorf("%s %w: %s", one.name, err, get(one.name, one.otherwise))
		}
	}
	return p, nil
}

// What a request adds to an append-only file beside its payload, and how fast a load
// can be at the most that is not told how long it is: 4,447 SETs of 180 kB a second
// were seen, and 200,000 of 3 bytes.
const (
	requestBytes  = 64
	fastestBytes  = 800_000_000
	fastestWrites = 200_000
)

// spareDisk is what is left free besides: a rewrite begins up to 100 ms late.
const spareDisk = 256 * int64(unit.MiB)

// liveDisk is what a save of all keys writes.
func liveDisk(e *experiment.Experiment, env experiment.Environment) int64 {
	keys, size := written(e)
	data := e.KeysOf(env)
	return data.Keys*(int64(data.Size)+requestBytes) + keys*(size+requestBytes)
}

// diskNeeds is a bound of what the files of a server take.
//
// An RDB file stands beside its successor while that is written. Even a server that
// saves nothing gets one when it is stopped for others to be driven.
//
// An append-only file grows by all that is written, until it is rewritten: from the
// moment at which it has outgrown its last size by auto-aof-rewrite-percentage (and
// has auto-aof-rewrite-min-size) until a file of all keys stands beside it. While that
// is written it shares the disk with what comes in, so that not more comes in than is
// written. Tried: 50,000 SETs of 180 kB on one key leave 397 MB after 46 rewrites, and
// 8.6 GB without any.
func diskNeeds(e *experiment.Experiment, env experiment.Environment) (int64, error) {
	live := liveDisk(e, env)
	p, err := policyOf(e.SettingsOf(env))
	if err != nil {
		return 0, err
	}
	bytes := 2 * live
	if !p.aof {
		return spareDisk + bytes, nil
	}
	file := live + appended(e)
	if p.rewrites {
		due := max(p.least, live+live/100*p.growth)
		file = min(file, due+live+spareDisk)
	}
	return spareDisk + bytes + file + live, nil
}

// appended is what the runs of one environment add to an append-only file that is
// not rewritten meanwhile; a reset begins with a new one.
func appended(e *experiment.Experiment) int64 {
	var most, all int64
	perRun := func(perRequest float64) int64 {
		requests := float64(e.Transactions)
		if requests == 0 {
			rate := min(fastestWrites, fastestBytes/max(1, perRequest))
			if len(e.Rates) > 0 {
				rate = slices.Max(e.Rates)
			}
			requests = rate * e.Duration.Std().Seconds()
			requests += rate * e.Warmup.Std().Seconds()
		}
		return int64(requests * perRequest)
	}
	for _, w := range e.Workloads {
		run := perRun(bytesPerRequest(w, int64(e.Payload)))
		most, all = max(most, run), all+run
	}
	if e.Reset != "none" {
		return most
	}
	cells := int64(len(e.Cells())) / int64(max(1, len(e.Workloads)))
	return all * max(1, cells) * int64(e.Repeats)
}

// bytesPerRequest is what a request of a workload adds to an append-only file, on
// average.
func bytesPerRequest(w experiment.Workload, payload int64) float64 {
	var bytes, weights float64
	for _, s := range w.Scripts {
		weights += float64(s.Weight)
		keys := int64(1)
		if s.Builtin == "mset" {
			keys = 10
		}
		if s.Writes() {
			bytes += float64(s.Weight) * float64(keys*(payload+requestBytes))
		}
	}
	return bytes / max(1, weights)
}
