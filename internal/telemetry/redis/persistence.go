package redis

import (
	"context"
	"fmt"
	"math"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

const (
	// often is the time between two samples.
	often = 100 * time.Millisecond

	// stalled is the time without an answer from which a stall is marked: a server that
	// waits for its disk cannot be asked meanwhile.
	stalled = time.Second
)

func sampled(name string, kind metric.Kind, unit, help string) metric.Metric {
	return metric.Metric{Name: "persistence." + name, Kind: kind, Unit: unit, Source: "INFO, ten times a second", Doc: infoDoc, Help: help}
}

var (
	appendedBytes = sampled("aof_bytes", metric.Rate, "bytes/s",
		"Bytes appended to the append-only file: the growth of aof_current_size. At the end of a rewrite, which shrinks the file, they are estimated from the bytes received from clients.")
	rewriteTime = sampled("aof_rewrite_in_progress", metric.Ratio, "1",
		"Share of the second's samples in which a rewrite of the append-only file was in progress.")
	saveTime = sampled("rdb_bgsave_in_progress", metric.Ratio, "1",
		"Share of the second's samples in which an RDB save was in progress, including those for replicas.")
	syncTime = sampled("aof_pending_bio_fsync", metric.Ratio, "1",
		"Share of the second's samples in which a background fsync of the append-only file was in progress or pending. With appendfsync everysec, the share is near 0 on a disk that keeps up.")
	rewritesBegun = sampled("aof_rewrites", metric.Rate, "1/s",
		"Rewrites of the append-only file started; up to Redis 6.2, only those that a sample saw.")
	savesBegun = sampled("rdb_saves", metric.Rate, "1/s",
		"RDB saves started; up to Redis 6.2, only those that a sample saw.")
	copiedBytes = sampled("cow_bytes", metric.Gauge, "bytes",
		"Maximum memory in this second that was copied for a save or rewrite because it was modified (copy-on-write); 0 without a save or rewrite. From Redis 7.0 on it is known during the save or rewrite, before that only at its end.")
	bufferBytes = sampled("aof_buffer_length", metric.Gauge, "bytes",
		"Maximum number of bytes in this second that waited to be written to the append-only file.")

	persistenceMetrics = []metric.Metric{
		appendedBytes, rewriteTime, saveTime, syncTime, rewritesBegun, savesBegun, copiedBytes, bufferBytes,
	}
)

// persistence samples the server's file activity.
type persistence struct {
	server *server
	each   func(name, value string)

	now, before sample
	at          time.Time // when now was read
	known       bool      // whether now is set
	missed      error     // why the last sample failed; nil if it did not

	growth                              growth
	samples, rewriting, saving, syncing float64
	rewrites, saves                     float64
	copied, buffer                      float64 // maximum since the previous reading
	anew                                string  // why counters restarted since then
	unseen                              bool    // some of growth is unknown since then

	rewrite, backup phase
	marks           []mark
	slots           struct{ bytes, samples, rewriting, saving, syncing, rewrites, saves, copied, buffer telemetry.Slot }
	bound, absent   bool
}

// mark is a mark that waits for the next reading.
type mark struct {
	at         time.Time
	kind, text string
}

func newPersistence(s *server) *persistence {
	p := &persistence{server: s, rewrite: rewritePhase, backup: savePhase}
	p.each = func(name, value string) { p.now.take(name, value) }
	return p
}

// Name returns the prefix of the columns.
func (*persistence) Name() string { return "persistence" }

// Metrics returns those of the samples.
func (*persistence) Metrics() []metric.Metric { return persistenceMetrics }

// Close closes the connection.
func (p *persistence) Close() { p.server.close() }

// Pace returns the time to the next sample.
func (*persistence) Pace() time.Duration { return often }

// Cost returns what all queries of the lane cost the server.
func (p *persistence) Cost() (cpu time.Duration, known bool, held string) {
	cpu, known = p.server.cost.of(p.server.asked)
	return cpu, known, ""
}

// Sample takes one sample; Read reports errors. Redis before 7.0 accepts only one section
// per command.
func (p *persistence) Sample(ctx context.Context) {
	var files, traffic *goredis.StringCmd
	at, err := p.server.do(ctx, func(pipe goredis.Pipeliner) {
		files, traffic = pipe.Info(ctx, "persistence"), pipe.Info(ctx, "stats")
	})
	if p.missed = err; err != nil {
		return
	}
	p.server.asked += 2
	p.take(at, files.Val(), traffic.Val())
}

// take evaluates a sample.
func (p *persistence) take(at time.Time, answers ...string) {
	if silent := at.Sub(p.at); p.known && silent > stalled {
		p.add(stall, fmt.Sprintf("the server did not answer for %.1f s", silent.Seconds()))
	}
	p.before, p.at = p.now, at
	p.now.clear()
	for _, answer := range answers {
		eachField(answer, p.each)
	}
	p.samples++
	p.rewriting += share(p.now.values[aofRewriting])
	p.saving += share(p.now.values[rdbSaving])
	p.syncing += share(p.now.values[aofSyncing])
	p.buffer = most(p.buffer, p.now.values[aofBuffer])
	p.copied = most(p.copied, p.now.values[copied])
	if p.known {
		p.compare()
	}
	p.known = true
}

// share returns 1 for an activity in progress. Several syncs may be pending.
func share(v float64) float64 {
	if v > 0 {
		return 1
	}
	return 0
}

// most returns the greater value; NaN counts as none.
func most(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// compare counts changes since the previous sample.
func (p *persistence) compare() {
	now, before := &p.now, &p.before
	if now.input() < before.input() {
		p.anew = "the server was restarted, or its statistics were reset"
	}
	rewrites, saves := now.begun(before, aofRewrites, aofRewriting), now.begun(before, rdbSaves, rdbSaving)
	p.rewrites, p.saves = p.rewrites+rewrites, p.saves+saves
	rewritten, saved := p.rewrite.step(p.at, rewrites, now.is(aofRewriting)), p.backup.step(p.at, saves, now.is(rdbSaving))
	if now.is(aofEnabled) && !p.growth.add(now, before, rewritten && now.rewritten != "err") {
		p.unseen = true
	}
	if rewritten {
		p.copied = most(p.copied, now.values[copiedByRewrite])
	}
	if saved {
		p.copied = most(p.copied, now.values[copiedBySave])
	}
	p.mark(rewrites, saves, rewritten, saved)
}

// Read takes one more sample and puts what was counted since the previous reading.
func (p *persistence) Read(ctx context.Context, b *telemetry.Board) error {
	p.Sample(ctx)
	for _, m := range p.marks {
		b.Mark(m.at, m.kind, m.text)
	}
	p.marks = p.marks[:0]
	if p.missed != nil {
		return p.missed
	}
	b.At(p.at)
	if p.anew != "" {
		b.Anew(p.anew)
	}
	p.put(b)
	p.anew, p.unseen, p.copied, p.buffer = "", false, 0, 0
	return nil
}

func (p *persistence) put(b *telemetry.Board) {
	if !p.bound {
		p.bind(b)
	}
	b.Put(p.slots.samples, p.samples)
	b.Put(p.slots.rewriting, p.rewriting)
	b.Put(p.slots.saving, p.saving)
	b.Put(p.slots.rewrites, p.rewrites)
	b.Put(p.slots.saves, p.saves)
	b.Put(p.slots.copied, p.copied)
	off := !p.now.is(aofEnabled)
	if off != p.absent {
		p.absent = off
		p.tell(b)
	}
	if off {
		return
	}
	if b.Put(p.slots.bytes, p.growth.bytes); p.unseen {
		b.Unknown(p.slots.bytes, "the append-only file was rewritten before any growth was seen, or it was just enabled")
	}
	b.Put(p.slots.syncing, p.syncing)
	b.Put(p.slots.buffer, p.buffer)
}

// tell reports that no append-only file exists, or that one exists now.
func (p *persistence) tell(b *telemetry.Board) {
	why := ""
	if p.absent {
		why = noAOF
	}
	for _, m := range []metric.Metric{appendedBytes, bufferBytes} {
		b.Absent(m, why)
	}
}

func (p *persistence) bind(b *telemetry.Board) {
	p.bound = true
	s := &p.slots
	s.bytes = b.Column(appendedBytes)
	s.samples, s.rewriting, s.saving, s.syncing = b.Counter("samples"), b.Counter("rewriting"), b.Counter("saving"), b.Counter("syncing")
	b.Ratio(rewriteTime, s.rewriting, s.samples)
	b.Ratio(saveTime, s.saving, s.samples)
	b.Ratio(syncTime, s.syncing, s.samples)
	s.rewrites, s.saves = b.Column(rewritesBegun), b.Column(savesBegun)
	s.copied, s.buffer = b.Column(copiedBytes), b.Column(bufferBytes)
}

// known reports whether the server provided a value.
func known(v float64) bool { return !math.IsNaN(v) }
