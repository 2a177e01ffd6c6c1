package typescript_test

import (
	"flag"
	"os"
	"reflect"
	"testing"

	"plinth/internal/page"
	"plinth/internal/page/typescript"
	"plinth/internal/serve"
)

// generated is what the page's program imports.
const (
	moduleDir = "../../.."
	generated = moduleDir + "/web/src/record.ts"
	header    = "// Made from the Go types by: go test ./internal/page/typescript -update\n// Do not edit it.\n\n"
)

var update = flag.Bool("update", false, "write web/src/record.ts")

// special are the types that make their own JSON.
var special = map[reflect.Type]string{reflect.TypeFor[page.Number](): "number | null"}

func TestRecordTypesAreCurrent(t *testing.T) {
	text, err := typescript.Generate(moduleDir, special,
		reflect.TypeFor[page.Data](), reflect.TypeFor[page.Detail](), reflect.TypeFor[page.Live](), reflect.TypeFor[serve.Records]())
	if err != nil {
		t.Fatal(err)
	}
	want := header + text
	if *update {
		if err := os.WriteFile(generated, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("web/src/record.ts is not what the Go types say: go test ./internal/page/typescript -update")
	}
}
