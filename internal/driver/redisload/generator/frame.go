package generator

import (
	"encoding/binary"
	"errors"
	"time"
)

// A load generator's output is a stream of frames: a kind, the length of the content, and
// the content. Numbers are varints. A second of a mix of two takes some kilobytes, and
// writing it allocates nothing.
const (
	frameOrigin   = 'o' // when the load began
	frameSecond   = 's'
	frameRefused  = 'r' // the server's first error, verbatim
	frameComplain = 'x' // why the load cannot continue
	frameEnd      = 'e'
)

// mostFrame limits a frame: 33,792 buckets of 10 bytes, for some scripts.
const mostFrame = 64 << 20

// End is the last report of a load.
type End struct {
	// Unfinished is how long, in nanoseconds, the oldest request in progress, or due and
	// not yet sent, had waited when the window was over; at most the length of the window.
	Unfinished int64
	// Cut is how many requests were in progress, or due, then.
	Cut int64
}

// Complaint is the reason why a load cannot continue.
type Complaint struct {
	Error, Hint string
}

// Listener receives the reports of a load generator.
type Listener interface {
	Origin(begun time.Time, warmup time.Duration)
	// Second must not retain s.
	Second(s *Second) error
	Refused(text string)
	Complaint(c Complaint)
	End(e End)
}

// frame puts kind and length before what build appends.
func frame(b []byte, kind byte, build func([]byte) []byte) []byte {
	b = append(b, kind, 0, 0, 0, 0)
	at := len(b)
	b = build(b)
	binary.BigEndian.PutUint32(b[at-4:], uint32(len(b)-at))
	return b
}

func appendSecond(b []byte, s *Second) []byte {
	for _, n := range []int64{s.Number, s.Begin, s.End, int64(len(s.CPU))} {
		b = binary.AppendVarint(b, n)
	}
	for _, n := range s.CPU {
		b = binary.AppendVarint(b, n)
	}
	for i := range s.Parts {
		p := &s.Parts[i]
		for _, n := range []int64{p.Done, p.Failures, p.Latency, p.Longest, p.Lag, p.WorstLag, p.Reads, p.Hits} {
			b = binary.AppendVarint(b, n)
		}
		b = p.Latencies.Append(b)
	}
	return b
}

func appendStrings(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	return b
}

// Decoder decodes a stream of frames; it is an io.Writer.
type Decoder struct {
	to     Listener
	rest   []byte
	second *Second
}

// NewDecoder returns a decoder that reports to a listener.
func NewDecoder(to Listener, scripts int) *Decoder {
	return &Decoder{to: to, second: NewSecond(scripts)}
}

var errFrame = errors.New("cannot read the load generator's output")

// Write takes a piece of the stream.
func (d *Decoder) Write(piece []byte) (int, error) {
	d.rest = append(d.rest, piece...)
	used := 0
	for len(d.rest)-used >= 5 {
		head := d.rest[used:]
		length := int(binary.BigEndian.Uint32(head[1:]))
		if length > mostFrame {
			return 0, errFrame
		}
		if len(head) < 5+length {
			break
		}
		if err := d.frame(head[0], head[5:5+length]); err != nil {
			return 0, err
		}
		used += 5 + length
	}
	d.rest = d.rest[:copy(d.rest, d.rest[used:])]
	return len(piece), nil
}

// Whole reports whether the stream ended with a whole frame.
func (d *Decoder) Whole() bool { return len(d.rest) == 0 }

func (d *Decoder) frame(kind byte, b []byte) error {
	f := fields{b: b}
	switch kind {
	case frameOrigin:
		begun, warmup := f.number(), f.number()
		if f.bad {
			return errFrame
		}
		d.to.Origin(time.Unix(0, begun), time.Duration(warmup))
	case frameSecond:
		if f.second(d.second); f.bad {
			return errFrame
		}
		return d.to.Second(d.second)
	case frameRefused:
		d.to.Refused(f.text())
	case frameComplain:
		c := Complaint{f.text(), f.text()}
		d.to.Complaint(c)
	case frameEnd:
		d.to.End(End{f.number(), f.number()})
	default:
		return errFrame
	}
	if f.bad {
		return errFrame
	}
	return nil
}

// fields reads the fields of a frame; bad is set if it is truncated.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) number() int64 {
	n, used := binary.Varint(f.b)
	if used <= 0 {
		f.bad, f.b = true, nil
		return 0
	}
	f.b = f.b[used:]
	return n
}

func (f *fields) text() string {
	n, used := binary.Uvarint(f.b)
	if used <= 0 || n > uint64(len(f.b)-used) {
		f.bad, f.b = true, nil
		return ""
	}
	text := string(f.b[used : used+int(n)])
	f.b = f.b[used+int(n):]
	return text
}

func (f *fields) second(s *Second) {
	s.reset()
	s.Number, s.Begin, s.End = f.number(), f.number(), f.number()
	for n := f.number(); n > 0 && !f.bad; n-- {
		s.CPU = append(s.CPU, f.number())
	}
	for i := range s.Parts {
		p := &s.Parts[i]
		for _, into := range []*int64{&p.Done, &p.Failures, &p.Latency, &p.Longest, &p.Lag, &p.WorstLag, &p.Reads, &p.Hits} {
			*into = f.number()
		}
		rest, err := p.Latencies.Decode(f.b)
		f.b, f.bad = rest, f.bad || err != nil
	}
}
