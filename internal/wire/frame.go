package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"plinth/internal/unit"
)

// An answer is a sequence of frames: one byte for the type, four for the length, and the content.
const (
	frameEvent  = 'e'
	frameResult = 'r' // the last frame
	frameError  = 'x' // a failure; the last frame
	frameHeader = 5

	mostError = 64 << 10 // bytes of a failure
)

func putHeader(frame []byte, kind byte) {
	frame[0] = kind
	binary.BigEndian.PutUint32(frame[1:], uint32(min(len(frame)-frameHeader, math.MaxUint32)))
}

// tooLarge describes a message that exceeds its limit.
func tooLarge(what string, size int64, limit unit.Size) error {
	return fmt.Errorf("%s has %d bytes, more than %s", what, size, limit)
}

// checkSize checks a frame to be sent.
func checkSize(what string, frame []byte, limit unit.Size) error {
	if size := int64(len(frame) - frameHeader); size > int64(limit) {
		return tooLarge(what, size, limit)
	}
	return nil
}

// frames reads an answer.
type frames struct {
	r       io.Reader
	limits  map[byte]limit // by type; other types are errors
	content bytes.Buffer
}

type limit struct {
	what string
	size unit.Size
}

// next reads a message, which is valid until the next one. It allocates memory as data arrives: a header
// contains only what the other end promises.
func (f *frames) next() (kind byte, data []byte, err error) {
	var head [frameHeader]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return 0, nil, inside(err)
	}
	kind, size := head[0], int64(binary.BigEndian.Uint32(head[1:]))
	limit, known := f.limits[kind]
	switch {
	case !known:
		return 0, nil, fmt.Errorf("unexpected type of message %q", kind)
	case size > int64(limit.size):
		return 0, nil, tooLarge(limit.what, size, limit.size)
	}
	f.content.Reset()
	if _, err := io.CopyN(&f.content, f.r, size); err != nil {
		return 0, nil, inside(err)
	}
	return kind, f.content.Bytes(), nil
}

// inside turns the end of the data into an error, because the answer is not complete.
func inside(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
