package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	"plinth/internal/hint"
)

// ReadJSON reads a JSON file within limits. It adds the file's weight to total, unless that is nil.
func ReadJSON(root *os.Root, name string, limit int64, schema string, into any, total *Total) error {
	data, err := Read(root, name, limit)
	if err != nil {
		return err
	}
	w, err := Weigh(data)
	if err == nil && total != nil {
		err = total.Add(w)
	}
	if err != nil {
		return Damaged(name, err)
	}
	if err := Decode(data, schema, into); err != nil {
		return Damaged(name, err)
	}
	return nil
}

// Decode parses JSON of one schema into a struct with the field Schema. It ignores unknown fields, because a later plinth may add
// fields without changing existing ones.
func Decode(data []byte, schema string, into any) error {
	err := json.Unmarshal(data, into)
	found := reflect.ValueOf(into).Elem().FieldByName("Schema").String()
	if err != nil {
		// Only the schema, since the rest of a later one may not fit.
		var only struct {
			Schema string `json:"schema"`
		}
		if json.Unmarshal(data, &only) != nil {
			return err
		}
		found = only.Schema
	}
	if found != schema {
		return WrongSchema(found, schema)
	}
	return err
}

// LaterError is the error for a file that a later version of plinth wrote. The file is
// not damaged.
type LaterError struct {
	Schema string // of the file
	Reads  string // the schema that this plinth reads
}

func (e *LaterError) Error() string {
	return fmt.Sprintf("it was written by a newer version of plinth (%.80q; this one reads %q)", e.Schema, e.Reads)
}

// WrongSchema is the error for a file with another schema than the one that is wanted: a LaterError if the schema is a later
// version of it.
func WrongSchema(found, want string) error {
	family := want[:strings.LastIndex(want, "/v")+2]
	if version, mine := strings.TrimPrefix(found, family), strings.TrimPrefix(want, family); version != found && later(version, mine) {
		return hint.Wrap(&LaterError{found, want}, "install the newest version of plinth")
	}
	return fmt.Errorf("its schema is %q, not %q", found, want)
}

// later reports whether a version of a schema, a number, is greater than another.
func later(version, than string) bool {
	a, err := strconv.ParseUint(version, 10, 32)
	b, err2 := strconv.ParseUint(than, 10, 32)
	return errors.Join(err, err2) == nil && a > b
}
