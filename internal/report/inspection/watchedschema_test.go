package inspection_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plinth/internal/report/runpage"
)

// TestWatchIsDocumented checks the documentation of a watch's JSON against the Go structs.
func TestWatchIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/inspect.md")
	if err != nil {
		t.Fatal(err)
	}
	for title, of := range map[string]reflect.Type{"Watch": reflect.TypeFor[runpage.WatchPage](), "WatchedRun": reflect.TypeFor[runpage.WatchedRun]()} {
		_, section, _ := strings.Cut(string(text), "\n### "+title+"\n")
		section, _, _ = strings.Cut(section, "\n### ")
		var documented, fields []string
		for line := range strings.Lines(section) {
			if name, found := strings.CutPrefix(line, "| `"); found {
				name, _, _ = strings.Cut(name, "`")
				documented = append(documented, name)
			}
		}
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fields = append(fields, name)
		}
		if !slices.Equal(documented, fields) {
			t.Errorf("%s is documented with %v, and has %v", title, documented, fields)
		}
	}
}
