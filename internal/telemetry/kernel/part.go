package kernel

import (
	"bytes"
	"path"
	"strconv"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// part is the purpose of a process of a PostgreSQL server.
type part uint8

const (
	unsorted   part = iota // its title does not show it
	backends               // serves a client, or helps to (parallel workers)
	background             // any other: the postmaster, checkpointer, WAL writer, autovacuum, ...
	archiver               // one of these: archives the WAL, with the processes of archive_command
	partCount
)

var partNames = [partCount]string{backends: "backends", background: "background", archiver: "archiver"}

// Metrics of the parts, in the order in which parts.put puts them.
var partMetrics = []metric.Metric{
	{Name: "process.server.{part}.cpu", Kind: metric.Rate, Unit: "s/s",
		Help: "CPU time of the server's backends (processes that serve clients, plinth's own included: see plinth.cpu), of its background processes, " +
			"and of one of these, the archiver, with its archive_command; PostgreSQL only"},
	{Name: "process.server.{part}.run_delay", Kind: metric.Rate, Unit: "s/s",
		Help: "time that these processes were ready to run and waited for a CPU; a wait is counted when it ends; PostgreSQL only"},
	{Name: "process.server.{part}.write_bytes", Kind: metric.Rate, Unit: "bytes/s",
		Help: "bytes of pages that these processes dirtied, plus bytes written with direct I/O; PostgreSQL only"},
}

// partUses are the counters of partMetrics, and what they are multiplied by.
var partUses = []struct {
	of     int // index into use
	factor float64
}{{useCPU, 1e-9}, {useDelay, 1e-9}, {useWritten, 1}}

// mostLooks is how often the title of a new process is read. It is that of the postmaster until
// the process has set its own, which takes some milliseconds.
const mostLooks = 3

// sort determines the part of a process of the server from its title. Those that the archiver starts have titles of
// their own. The parent is nil if it is not known.
// https://www.postgresql.org/docs/current/monitoring-ps.html
func (s *parts) sort(p, parent *process, root string, buffer []byte) {
	if p.looks == mostLooks || p.gone || p.pid == p.owner.root {
		return
	}
	if parent != nil && parent.part == archiver {
		p.part, p.looks = archiver, mostLooks
		return
	}
	f := newFile(root, path.Join("proc", strconv.Itoa(p.pid), "cmdline"))
	f.text = buffer
	defer f.close()
	text, err := f.readShort()
	if err != nil {
		return
	}
	p.looks++
	if title, is := bytes.CutPrefix(text, []byte("postgres: ")); is {
		p.part, p.looks, s.found = partOf(title), mostLooks, true
	}
}

// partOf returns the part for a title without "postgres: ". That of a backend has the user, the
// database and the client's address, after the name of the cluster if it has one:
// "bench: alice orders [local] idle", "alice orders 192.0.2.1(50412) SELECT".
func partOf(title []byte) part {
	switch {
	case bytes.Contains(title, []byte("walsender ")):
		return background
	case bytes.Contains(title, []byte(" [local]")), bytes.Contains(title, []byte("parallel worker for ")):
		return backends
	}
	of, first := background, true
	for word := range bytes.FieldsSeq(title) {
		if first && string(word) == "archiver" {
			of = archiver
		}
		first = first && bytes.HasSuffix(word, []byte(":")) // the name of the cluster
		port, is := bytes.CutSuffix(word, []byte(")"))
		if at := bytes.LastIndexByte(port, '('); is && at > 0 && isNumber(port[at+1:]) {
			return backends
		}
	}
	return of
}

func isNumber(text []byte) bool {
	_, err := strconv.ParseUint(string(text), 10, 16)
	return err == nil
}

// parts holds how much the parts of the server have used.
type parts struct {
	found  bool // the server has processes with PostgreSQL's titles
	totals [partCount]use
	slots  []telemetry.Slot // of each part, in order
}

// add adds what a process of the server used itself, and what else was counted for it: what it read and wrote, and what
// children had used that have exited since. Those of the root were backends, as the others do not come and go.
func (s *parts) add(p *process, grown, more use) {
	of := p.part
	switch {
	case p.pid == p.owner.root:
		s.totals[background].add(grown)
		s.totals[backends].add(more)
		return
	case of == unsorted: // it has not set its title yet
		of = backends
	}
	s.totals[of].add(grown)
	s.totals[of].add(more)
}

// total returns what a part has used. The background processes include the archiver.
func (s *parts) total(of part) use {
	total := s.totals[of]
	if of == background {
		total.add(s.totals[archiver])
	}
	return total
}

// put puts the counters of the parts, as the owner's own.
func (s *parts) put(b *telemetry.Board, server *owner, unknown, unknownBytes string) {
	if !s.found {
		return
	}
	if s.slots == nil {
		for of := backends; of < partCount; of++ {
			for _, m := range partMetrics {
				s.slots = append(s.slots, b.Column(m, partNames[of]))
			}
		}
	}
	for i, slot := range s.slots {
		of, counter, why := backends+part(i/len(partMetrics)), partUses[i%len(partMetrics)], unknown
		switch {
		case counter.of == useDelay && server.untimed:
			why = notTimed
		case counter.of == useWritten:
			why = unknownBytes
		}
		if why != "" {
			b.Unknown(slot, why)
			continue
		}
		b.Put(slot, float64(s.total(of)[counter.of])*counter.factor)
	}
}
