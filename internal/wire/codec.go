package wire

import (
	"bytes"
	"errors"

	"github.com/fxamacker/cbor/v2"
)

// Messages are CBOR (RFC 8949), by the fields' JSON names where they have some. JSON has no NaN, which
// is a gap in a column of points, and it would leave passwords out of connection strings, whose JSON is
// made for people. gob loses the difference between a pointer to zero and nil.
var (
	encoding, _ = cbor.EncOptions{Time: cbor.TimeRFC3339Nano}.EncMode() // the options are valid
	decoding, _ = cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		// Both ends have the same version, so an unknown field is damage.
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		// File names and the output of programs can hold any bytes.
		UTF8: cbor.UTF8DecodeInvalid,
		// The size of a message is limited, and so are the sizes that it can promise.
		MaxArrayElements: 1 << 24, MaxMapPairs: 1 << 20, MaxNestedLevels: 32,
	}.DecMode() // the options are valid
)

// encode returns a frame with a message. Its length is not limited yet.
func encode(kind byte, message any) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, frameHeader, 512))
	if err := encoding.NewEncoder(b).Encode(message); err != nil {
		return nil, err
	}
	frame := b.Bytes()
	putHeader(frame, kind)
	return frame, nil
}

// decode decodes one message strictly.
func decode(data []byte, into any) error {
	rest, err := decoding.UnmarshalFirst(data, into)
	if err == nil && len(rest) > 0 {
		return errors.New("more follows the message")
	}
	return err
}
