// Package resp reads the replies of a Redis server in version 2 of its protocol, as they
// arrive: in pieces of any length, without keeping or copying their content.
//
// https://redis.io/docs/latest/develop/reference/protocol-spec/
package resp

import (
	"bytes"
	"fmt"
)

// Kind holds what a load generator needs to know of a reply.
type Kind byte

// The kinds of replies.
const (
	Value Kind = iota // any value: a status, a number, bytes, an array
	Nil               // no value: a key that does not exist
	Error             // the server returned an error
)

// longestText is how many bytes of an error are kept; Redis's own are shorter.
const longestText = 512

// step is the position of a parser within a reply.
type step byte

const (
	atType    step = iota // before the first byte of a reply or of an element
	inLine                // in a status or a number
	inError               // in an error
	inLength              // in the length of bytes or of an array
	atLineEnd             // before the line feed that ends a line
	inBytes               // in bytes of known length
	atBytesCR             // before the end of line that follows them
	atBytesLF
)

// Parser reads one reply after the other. The zero value is ready to use; it is not safe
// for concurrent use.
type Parser struct {
	step     step
	typ      byte
	begun    bool  // the outermost reply has been seen: the kind is known
	negative bool  // the length
	digits   int   // of the length so far
	length   int64 // so far
	skip     int64 // bytes left
	left     int64 // elements left, the current one included

	kind Kind
	text []byte // of an error
}

// Limits beyond any length that a server sends: proto-max-bulk-len is 512 MB.
const (
	mostDigits   = 15
	mostElements = 1 << 60
)

// Kind returns the kind of the completed reply: of an array, Value.
func (p *Parser) Kind() Kind { return p.kind }

// Text returns the completed error: "MISCONF Redis is configured to ...". The next one
// overwrites it.
func (p *Parser) Text() []byte { return p.text }

// Within reports whether a reply has begun and is not complete.
func (p *Parser) Within() bool { return p.left > 0 || p.step != atType }

// Reset prepares the parser for another stream.
func (p *Parser) Reset() { *p = Parser{text: p.text[:0]} }

// Parse reads up to the end of the first reply in b. n is how much of b was used: all of
// it, unless a reply is done. An error means that this is not the protocol.
func (p *Parser) Parse(b []byte) (n int, done bool, err error) {
	for n < len(b) {
		switch p.step {
		case atType:
			if err := p.begin(b[n]); err != nil {
				return n, false, err
			}
			n++
		case inLine, inError:
			n += p.line(b[n:])
		case inBytes:
			jump := min(p.skip, int64(len(b)-n))
			n += int(jump)
			if p.skip -= jump; p.skip == 0 {
				p.step = atBytesCR
			}
		default:
			done, err := p.single(b[n])
			if err != nil {
				return n, false, err
			}
			if n++; done {
				return n, true, nil
			}
		}
	}
	return n, false, nil
}

// begin takes the type byte.
func (p *Parser) begin(c byte) error {
	if p.left == 0 {
		p.left, p.begun, p.kind = 1, false, Value
	}
	p.typ = c
	switch c {
	case '+', ':':
		p.step = inLine
	case '-':
		p.step = inError
		if !p.begun {
			p.kind, p.text = Error, p.text[:0]
		}
	case '$', '*':
		p.step, p.length, p.digits, p.negative = inLength, 0, 0, false
	default:
		return fmt.Errorf("the server's reply begins with %q, which is not the Redis protocol", c)
	}
	return nil
}

// line skips a line up to its carriage return, and keeps the text of an error.
func (p *Parser) line(b []byte) int {
	end := bytes.IndexByte(b, '\r')
	text := b
	if end >= 0 {
		text = b[:end]
		p.step = atLineEnd
	}
	if p.typ == '-' && !p.begun {
		if p.text == nil {
			p.text = make([]byte, 0, longestText)
		}
		p.text = append(p.text, text[:min(len(text), longestText-len(p.text))]...)
	}
	if end < 0 {
		return len(b)
	}
	return end + 1
}

// single handles one byte where each byte matters.
func (p *Parser) single(c byte) (done bool, err error) {
	switch p.step {
	case inLength:
		return false, p.digit(c)
	case atBytesCR:
		p.step = atBytesLF
		return false, expect(c, '\r')
	case atBytesLF:
		return p.element(), expect(c, '\n')
	}
	if err := expect(c, '\n'); err != nil {
		return false, err
	}
	switch p.typ {
	case '$':
		return p.bytes()
	case '*':
		return p.array()
	}
	return p.element(), nil
}

func expect(c, want byte) error {
	if c != want {
		return fmt.Errorf("the server's reply has %q where %q is expected", c, want)
	}
	return nil
}

func (p *Parser) digit(c byte) error {
	switch {
	case c >= '0' && c <= '9' && p.digits < mostDigits:
		p.length = 10*p.length + int64(c-'0')
		p.digits++
	case c == '-' && p.digits == 0 && !p.negative:
		p.negative = true
	case c == '\r' && p.digits > 0 && (!p.negative || p.length == 1):
		p.step = atLineEnd
	default:
		return fmt.Errorf("the server's reply has %q in a length", c)
	}
	return nil
}

// bytes starts the bytes whose length is known.
func (p *Parser) bytes() (done bool, err error) {
	if p.negative {
		return p.nothing(), nil
	}
	p.begun = true
	p.skip, p.step = p.length, inBytes
	if p.skip == 0 {
		p.step = atBytesCR
	}
	return false, nil
}

// array starts the elements whose number is known.
func (p *Parser) array() (done bool, err error) {
	if p.negative {
		return p.nothing(), nil
	}
	if p.length > mostElements-p.left {
		return false, fmt.Errorf("the server's reply has too many elements")
	}
	p.begun = true
	p.left += p.length
	return p.element(), nil
}

func (p *Parser) nothing() bool {
	if !p.begun {
		p.kind = Nil
	}
	return p.element()
}

// element ends an element, and reports whether it was the last one of the reply.
func (p *Parser) element() bool {
	p.begun = true
	p.step = atType
	p.left--
	return p.left == 0
}
