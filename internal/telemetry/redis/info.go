package redis

import (
	"context"
	"math"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// info reads all of INFO, once a second.
type info struct {
	server *server
	each   func(name, value string) // take; kept, as a new method value would allocate

	board    *telemetry.Board // of the current reading
	readings int
	slots    []fieldSlot // in the order of fields
	commands commands
	errors   errorCounts
	replicas replicas
	keys     databases
	texts    texts
	before   before
}

// fieldSlot is the state of one of fields.
type fieldSlot struct {
	telemetry.Slot
	bound, absent bool
	value         float64 // of this reading, in the server's unit; NaN where missing
}

func newInfo(s *server) *info {
	i := &info{
		server: s, slots: make([]fieldSlot, len(fields)), commands: commands{}, errors: errorCounts{},
		replicas: replicas{}, keys: databases{},
	}
	i.each = i.take
	return i
}

// Name returns the prefix of the columns.
func (*info) Name() string { return "info" }

// Metrics returns those of INFO.
func (*info) Metrics() (all []metric.Metric) {
	for _, f := range fields {
		all = append(all, f.Metric)
	}
	return append(all, manyMetrics...)
}

// Close closes the connection.
func (i *info) Close() { i.server.close() }

// Read asks for INFO. "all" means every section but those of modules, in all versions.
func (i *info) Read(ctx context.Context, b *telemetry.Board) error {
	i.server.log.Drain(b)
	var answer *goredis.StringCmd
	at, err := i.server.do(ctx, func(p goredis.Pipeliner) { answer = p.Info(ctx, "all") })
	if err != nil {
		return err
	}
	i.server.asked++
	b.At(at)
	i.put(b, answer.Val())
	i.server.learn(ctx)
	i.mark(at)
	i.server.cost.seen(i.commands["info"])
	i.readings++
	return nil
}

// put puts an answer on the board.
func (i *info) put(b *telemetry.Board, answer string) {
	i.board = b
	for at := range i.slots {
		i.slots[at].value = math.NaN()
	}
	i.replicas.clear()
	i.keys.clear()
	eachField(answer, i.each)
	for at := range i.slots {
		i.slots[at].put(b, &fields[at])
	}
	i.replicas.put(b, i.value("master_repl_offset"))
	i.keys.put(b)
	i.anew()
}

// take takes one field of the answer.
func (i *info) take(name, value string) {
	if at, is := fieldAt[name]; is {
		i.slots[at].value = number(value)
		return
	}
	if i.texts.take(name, value) {
		return
	}
	i.takeMany(name, value)
}

// value returns a field of this reading, in the server's unit.
func (i *info) value(name string) float64 { return i.slots[fieldAt[name]].value }

// put puts one field. A field that the server lacks is absent until it appears.
func (s *fieldSlot) put(b *telemetry.Board, f *field) {
	if math.IsNaN(s.value) {
		if !s.absent && !s.bound && f.why != "" {
			b.Absent(f.Metric, f.why)
			s.absent = true
		}
		return
	}
	if !s.bound {
		s.Slot, s.bound = b.Column(f.Metric), true
	}
	if s.absent {
		b.Absent(f.Metric, "")
		s.absent = false
	}
	b.Put(s.Slot, s.value*f.scale)
}

// anew reports a restart of the server or a reset of its statistics to the board.
func (i *info) anew() {
	switch {
	case i.readings == 0:
	case i.texts.runID != i.before.runID:
		i.board.Anew("the server was restarted")
		i.server.settings.known = false
	case i.value("total_commands_processed") < i.before.commands:
		i.board.Anew("its statistics were reset")
	}
}

// eachField passes each field of an INFO answer, in order, to take: "used_memory" and
// "1144256". The texts are parts of the answer: nothing is copied. Headings, empty lines
// and other lines are skipped. https://redis.io/docs/latest/commands/info/
func eachField(answer string, take func(name, value string)) {
	for len(answer) > 0 {
		line := answer
		if end := strings.IndexByte(answer, '\n'); end >= 0 {
			line, answer = answer[:end], answer[end+1:]
		} else {
			answer = ""
		}
		line = strings.TrimSuffix(line, "\r")
		name, value, found := strings.Cut(line, ":")
		if found && name != "" && name[0] != '#' {
			take(name, value)
		}
	}
}

// part returns one value of a field that has several: "calls" of
// "calls=7,usec=12,usec_per_call=1.71"; "" if it has none of that name.
func part(value, name string) string {
	for len(value) > 0 {
		one, rest, _ := strings.Cut(value, ",")
		if key, v, found := strings.Cut(one, "="); found && key == name {
			return v
		}
		value = rest
	}
	return ""
}

// number parses a value, NaN if it is not a number. Infinity counts as none: no field has
// it.
func number(value string) float64 {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}
