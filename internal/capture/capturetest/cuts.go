package capturetest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"plinth/internal/capture"
)

// Text reads a text, and fails the test if it cannot be read as text.
func Text(t testing.TB, text string, kinds []capture.Kind) capture.Text {
	t.Helper()
	got, err := capture.Read(strings.NewReader(text), kinds)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// One reads a text that holds one section, every line of which is understood.
func One(t testing.TB, text string, kinds []capture.Kind) capture.Found {
	t.Helper()
	got := Text(t, text, kinds)
	if len(got.Sections) != 1 || len(got.Unread) > 0 {
		t.Fatalf("%d sections, unread lines %v", len(got.Sections), got.Unread)
	}
	if err := got.Sections[0].Refused; err != nil {
		t.Fatal(err)
	}
	return got.Sections[0].Found
}

// Cuts reads a text cut at Ends, and fails the test if a cut text has a value that the
// whole text does not have in the same place. Notes are not compared.
func Cuts(t *testing.T, text string, kinds []capture.Kind) {
	t.Helper()
	whole := Text(t, text, kinds).Sections
	wrong := 0
	for _, end := range Ends(text) {
		sections := Text(t, text[:end], kinds).Sections
		if len(sections) > len(whole) {
			t.Errorf("cut after %d bytes, there are %d sections instead of %d", end, len(sections), len(whole))
			continue
		}
		for i, section := range sections {
			if difference := excess(reflect.ValueOf(section.Found), reflect.ValueOf(whole[i].Found)); difference != "" {
				t.Errorf("cut after %q (%d bytes): Found%s", tail(text[:end]), end, difference)
				wrong++
			}
		}
		if wrong > 20 {
			t.Fatal("there are more")
		}
	}
}

func tail(text string) string { return text[max(0, len(text)-40):] }

// excess returns the first value of cut that is neither zero nor that of whole.
func excess(cut, whole reflect.Value) string {
	if cut.CanFloat() && math.IsNaN(cut.Float()) {
		return "" // unknown
	}
	if _, isTime := cut.Interface().(time.Time); isTime {
		return different(cut, whole)
	}
	switch cut.Kind() {
	case reflect.Struct:
		return excessFields(cut, whole)
	case reflect.Pointer:
		if cut.IsNil() {
			return ""
		}
		if whole.IsNil() {
			return " is not in the whole text"
		}
		return excess(cut.Elem(), whole.Elem())
	case reflect.Slice:
		return excessElements(cut, whole)
	case reflect.Map:
		return excessEntries(cut, whole)
	}
	return different(cut, whole)
}

// different compares values without parts.
func different(cut, whole reflect.Value) string {
	if cut.IsZero() || cut.Interface() == whole.Interface() {
		return ""
	}
	return fmt.Sprintf(" = %v, but %v in the whole text", cut, whole)
}

func excessFields(cut, whole reflect.Value) string {
	for i := range cut.NumField() {
		field := cut.Type().Field(i)
		if field.Name == "Notes" || !field.IsExported() {
			continue
		}
		if d := excess(cut.Field(i), whole.Field(i)); d != "" {
			return "." + field.Name + d
		}
	}
	return ""
}

func excessElements(cut, whole reflect.Value) string {
	if cut.Len() > whole.Len() {
		return fmt.Sprintf(" has %d elements, but %d in the whole text", cut.Len(), whole.Len())
	}
	for i := range cut.Len() {
		if d := excess(cut.Index(i), whole.Index(i)); d != "" {
			return fmt.Sprintf("[%d]%s", i, d)
		}
	}
	return ""
}

func excessEntries(cut, whole reflect.Value) string {
	for _, key := range cut.MapKeys() {
		if !whole.MapIndex(key).IsValid() {
			return fmt.Sprintf("[%v] is not in the whole text", key)
		}
		if d := excess(cut.MapIndex(key), whole.MapIndex(key)); d != "" {
			return fmt.Sprintf("[%v]%s", key, d)
		}
	}
	return ""
}
