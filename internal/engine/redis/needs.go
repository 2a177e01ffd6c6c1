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

// Measured on two cores and a local disk. The rates are those of values of 100 bytes and of 180
// kB.
const (
	loadKeys   = 150_000     // keys loaded per second
	loadRate   = 400_000_000 // bytes loaded per second
	saveRate   = 200_000_000 // bytes per second that a save writes, and a start reads
	loadFixed  = 200 * time.Millisecond
	switchTime = 300 * time.Millisecond
)

// Needs estimates what an environment's own server will use, before anything is created. It
// returns an error for a dataset that the machine cannot hold. A connected server uses nothing of
// this machine.
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

// checkMemory returns an error if the machine, or the server's limit, can never hold the keys.
// Probe checks what is free now: at this point other environments may already be loaded.
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

// checkFree returns an error if the memory that is free now is not enough.
func checkFree(e *experiment.Experiment, env experiment.Environment) error {
	available, err := host.AvailableMemory()
	if err != nil {
		return err
	}
	if err := fits(e, env, serverBytes+liveMemory(e, env)+clientMemory(e), available, "the available memory of this machine is"); err != nil {
		return err
	}
	// With noeviction the server itself rejects the excess keys; with any other policy they are
	// evicted, and Describe notes it.
	p, err := policyOf(e.SettingsOf(env))
	if err != nil || p.evicts {
		return err
	}
	return fits(e, env, serverBytes+liveMemory(e, env), p.maxmemory, "maxmemory is")
}

// policy holds what the declared settings imply for memory and files.
type policy struct {
	maxmemory int64
	evicts    bool
	aof       bool
	rewrites  bool  // automatically
	growth    int64 // percent by which the append-only file has to grow until it is rewritten
	least     int64 // bytes that it has to have
}

// policyOf reads the relevant settings. Those that are not declared have the defaults of
// redis.conf; the server rejects misspelt ones.
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

// requestBytes holds what a request adds to an append-only file in addition to its payload. The
// others limit the rate, per second, of a load without a fixed number of requests: 4,447 SETs of
// 180 kB a second were measured, and 200,000 of 3 bytes.
const (
	requestBytes  = 64
	fastestBytes  = 800_000_000
	fastestWrites = 200_000
)

// spareDisk is additional free space: a rewrite starts up to 100 ms late.
const spareDisk = 256 * int64(unit.MiB)

// liveDisk returns what a save of all keys writes.
func liveDisk(e *experiment.Experiment, env experiment.Environment) int64 {
	keys, size := written(e)
	data := e.KeysOf(env)
	return data.Keys*(int64(data.Size)+requestBytes) + keys*(size+requestBytes) + pushed(e)*(int64(e.Payload)+requestBytes)
}

// diskNeeds returns an upper bound of the size of a server's files.
//
// An RDB file exists beside its successor while that is written. Even a server that saves nothing
// gets one when it is stopped to switch servers.
//
// An append-only file grows with every write until it is rewritten. A rewrite starts when the
// file has outgrown its last size by auto-aof-rewrite-percentage (and has reached
// auto-aof-rewrite-min-size), and ends when a file with all keys exists beside it. The rewrite
// shares the disk with incoming writes, so no more comes in than is written. Measured: 50,000
// SETs of 180 kB on one key leave 397 MB after 46 rewrites, and 8.6 GB without any.
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

// appended returns what the runs of one environment add to an append-only file that is not
// rewritten meanwhile; a reset starts a new one.
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

// bytesPerRequest returns what a request of a workload adds to an append-only file on average.
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
