package relation

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"plinth/internal/hint"
)

// Limits of a file: what a reading of 50,000 relations needs.
const (
	mostBytes     = 64 << 20
	mostRelations = 50000
)

// Encode returns a reading as JSON.
func (l Reading) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(l, "", " ")
	return append(text, '\n'), err
}

// Compressed returns a reading as JSON in a gzip file, as a record keeps it.
func (l Reading) Compressed() ([]byte, error) {
	text, err := l.Encode()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// plain returns the content of a gzip file; any other text as it is.
func plain(text []byte) ([]byte, error) {
	if !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return text, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, mostBytes+1))
}

// Decode reads what Encode or Compressed returned. It is strict: an unknown field, a negative counter
// or a name that is missing is an error.
func Decode(text []byte) (Reading, error) {
	text, err := plain(text)
	if err != nil {
		return Reading{}, err
	}
	if len(text) > mostBytes {
		return Reading{}, fmt.Errorf("it is larger than %d MiB", mostBytes>>20)
	}
	var begin struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &begin); err != nil {
		return Reading{}, hint.Wrap(fmt.Errorf("it is not JSON: %w", err), advice)
	}
	if begin.Schema != Schema {
		return Reading{}, hint.Errorf(advice, "its schema is %.40q, not %q", begin.Schema, Schema)
	}
	var l Reading
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return Reading{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Reading{}, errors.New("it has more than one JSON document")
	}
	return l, l.check()
}

const advice = "plinth place --save FILE writes such a file"

// Save writes a reading to a file.
func (l Reading) Save(path string) error {
	text, err := l.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600) // names of tables may be confidential
}

// Load reads a file that Save wrote.
func Load(path string) (Reading, error) {
	f, err := os.Open(path)
	if err != nil {
		return Reading{}, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return Reading{}, err
	}
	l, err := Decode(text)
	if err != nil {
		return Reading{}, hint.Wrap(fmt.Errorf("cannot read %s: %w", path, err), hint.Of(err))
	}
	return l, nil
}
