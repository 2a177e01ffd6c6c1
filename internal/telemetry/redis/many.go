package redis

import (
	"math"
	"strings"

	"plinth/internal/telemetry"
)

// mostMany limits how many commands, errors, replicas or databases have columns: an
// unbounded number of names in a load must not fill the record.
const mostMany = 100

// takeMany takes a field that may occur many times, by the prefix of its name.
func (i *info) takeMany(name, value string) {
	if command, is := strings.CutPrefix(name, "cmdstat_"); is {
		i.commands.take(i.board, command, value, i.readings == 0)
	} else if command, is := strings.CutPrefix(name, "latency_percentiles_usec_"); is {
		i.commands.percentiles(i.board, command, value)
	} else if word, is := strings.CutPrefix(name, "errorstat_"); is {
		i.errors.take(i.board, word, value)
	} else if number, is := cutNumber(name, "slave"); is {
		i.replicas.take(number, value)
	} else if number, is := cutNumber(name, "db"); is {
		i.keys.take(number, value)
	}
}

// cutNumber returns the number of "slave0", and whether it is one: "slave_priority" is not.
func cutNumber(name, prefix string) (number string, is bool) {
	number, is = strings.CutPrefix(name, prefix)
	return number, is && number != "" && number[0] >= '0' && number[0] <= '9' && !strings.ContainsAny(number, "_")
}

// commands are those that the server has counted.
type commands map[string]*command

// command holds the server's counters of one command.
type command struct {
	calls, usec           float64 // at the last reading
	firstCalls, firstUsec float64 // at the first reading; 0 if it was missing there
	driven                bool    // it was called since, and has columns
	callSlot, usecSlot    telemetry.Slot
	told                  bool // it has columns of percentiles
	percentiles           [3]telemetry.Slot
}

// own are plinth's own commands, which other clients may use, too; up to Redis 6.2 all of
// CONFIG counts as one.
var own = map[string]bool{"info": true, "config|get": true, "config": true, "latency|latest": true, "latency": true}

// take takes "calls=7,usec=12,...". A command has columns from its first call on; until
// then its counters are those of the first reading.
func (all commands) take(b *telemetry.Board, name, value string, first bool) {
	calls, usec := number(part(value, "calls")), number(part(value, "usec"))
	c := all[name]
	if c == nil {
		if len(all) == mostMany || math.IsNaN(calls) || math.IsNaN(usec) {
			return
		}
		c = &command{}
		if first {
			c.firstCalls, c.firstUsec = calls, usec
		}
		all[strings.Clone(name)] = c
	}
	c.calls, c.usec = calls, usec
	if own[name] || !c.driven && !(calls > c.firstCalls) {
		return
	}
	if !c.driven {
		c.bind(b, name)
	}
	b.Put(c.callSlot, calls)
	b.Put(c.usecSlot, usec*microseconds)
}

func (c *command) bind(b *telemetry.Board, name string) {
	c.driven = true
	c.callSlot, c.usecSlot = b.Column(commandCalls, name), b.Counter("usec "+name)
	b.Before(c.callSlot, c.firstCalls)
	b.Before(c.usecSlot, c.firstUsec*microseconds)
	b.Ratio(commandTime, c.usecSlot, c.callSlot, name)
}

// percentiles takes "p50=0.001,p99=1.003,p99.9=2.007"; which ones exist depends on a
// setting.
func (all commands) percentiles(b *telemetry.Board, name, value string) {
	c := all[name]
	if c == nil || !c.driven {
		return
	}
	if !c.told {
		c.told = true
		for n := range c.percentiles {
			c.percentiles[n] = b.Column(commandPercentiles[n].Metric, name)
			b.Before(c.percentiles[n], 0)
		}
	}
	for n, slot := range c.percentiles {
		b.Put(slot, number(part(value, commandPercentiles[n].name))*microseconds)
	}
}

// errorCounts are the slots of errors, by their first word.
type errorCounts map[string]telemetry.Slot

func (all errorCounts) take(b *telemetry.Board, word, value string) {
	slot, known := all[word]
	if !known {
		if len(all) == mostMany {
			return
		}
		slot = b.Column(errorReplies, word)
		b.Before(slot, 0)
		all[strings.Clone(word)] = slot
	}
	b.Put(slot, number(part(value, "count")))
}

// databases are the key counts by database. The server omits a database without keys.
type databases map[string]*database

type database struct {
	slot  telemetry.Slot
	bound bool
	keys  float64
}

func (all databases) clear() {
	for _, d := range all {
		d.keys = 0
	}
}

func (all databases) take(at, value string) {
	d := all[at]
	if d == nil {
		if len(all) == mostMany {
			return
		}
		d = &database{}
		all[strings.Clone(at)] = d
	}
	d.keys = number(part(value, "keys"))
}

func (all databases) put(b *telemetry.Board) {
	for number, d := range all {
		if !d.bound {
			d.slot, d.bound = b.Column(databaseKeys, number), true
			b.Before(d.slot, 0)
		}
		b.Put(d.slot, d.keys)
	}
}

// replicas are those of a primary, by number.
type replicas map[string]*replica

type replica struct {
	bytes, time telemetry.Slot
	bound       bool

	there       bool   // in this reading
	state       string // "online", or what it waits for
	offset, lag float64
}

func (all replicas) clear() {
	for _, r := range all {
		r.there = false
	}
}

// take takes "ip=127.0.0.1,port=21311,state=online,offset=580023,lag=1".
func (all replicas) take(at, value string) {
	r := all[at]
	if r == nil {
		if len(all) == mostMany {
			return
		}
		r = &replica{}
		all[strings.Clone(at)] = r
	}
	r.there, r.offset, r.lag = true, number(part(value, "offset")), number(part(value, "lag"))
	if state := part(value, "state"); state != r.state {
		r.state = strings.Clone(state)
	}
}

// put puts the lag of each replica behind a primary at that offset.
func (all replicas) put(b *telemetry.Board, primary float64) {
	for at, r := range all {
		if !r.bound {
			r.bytes, r.time, r.bound = b.Column(replicaBytes, at), b.Column(replicaTime, at), true
		}
		switch {
		case !r.there:
			r.unknown(b, "the replica is not connected")
		case r.state != "online":
			r.unknown(b, "the replica is in a full sync and not online")
		default:
			b.Put(r.bytes, max(0, primary-r.offset)) // it may acknowledge more while the answer is produced
			b.Put(r.time, r.lag)
		}
	}
}

func (r *replica) unknown(b *telemetry.Board, why string) {
	b.Unknown(r.bytes, why)
	b.Unknown(r.time, why)
}

// fed returns how many replicas are online: others have no data, or no recent data.
func (all replicas) fed() (n int) {
	for _, r := range all {
		if r.there && r.state == "online" {
			n++
		}
	}
	return n
}
