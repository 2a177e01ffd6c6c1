package files

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestWeigh(t *testing.T) {
	for text, want := range map[string]Weight{
		``:                                   {},
		`{}`:                                 {2, 1, 1},
		`{"a": [1, 2, {"b": "x,{[\\\"{,"}]}`: {34, 2, 5},
		`"\\", [}`:                           {9, 0, 2},
	} {
		want.Bytes = int64(len(text))
		if got, err := Weigh([]byte(text)); got != want || err != nil {
			t.Errorf("weigh(%s) = %+v, %v; want %+v", text, got, err, want)
		}
	}
	if _, err := Weigh([]byte(strings.Repeat("[", maxNesting+1))); err == nil {
		t.Error("deep lists are accepted")
	}
	if _, err := Weigh([]byte(`["` + strings.Repeat("x", maxText) + `"]`)); err == nil {
		t.Error("long strings are accepted")
	}
}

// TestWeightOfRuns checks that the limits of a whole record leave room for 5,000 runs, each
// repeated. The weight is the mean of a quickstart with telemetry.
func TestWeightOfRuns(t *testing.T) {
	total, run := new(Total), Weight{Bytes: 11_939, Objects: 56, Values: 355}
	for i := range 10_000 {
		if err := total.Add(run); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
	}
}

// FuzzWeigh checks that Weigh counts at least what the decoder of the library finds.
func FuzzWeigh(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\"",{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		w, err := Weigh(data)
		if json.Unmarshal(data, &v) != nil || err != nil {
			return
		}
		if objects, values := count(v); w.Objects < objects || w.Values+1 < values {
			t.Errorf("%+v; there are %d objects, %d values", w, objects, values)
		}
	})
}

// count returns the objects and values in v, which may be fewer than its text had: keys can be
// repeated.
func count(v any) (objects, values int64) {
	values = 1
	add := func(v any) {
		o, n := count(v)
		objects, values = objects+o, values+n
	}
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			add(element)
		}
	case map[string]any:
		objects++
		for _, element := range v {
			add(element)
		}
	}
	return objects, values
}
