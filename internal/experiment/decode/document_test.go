package decode

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/experiment/experimenttest"
	"plinth/internal/experiment/field"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

const document = "../../../docs/experiment-file.md"

func readDocument(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The tables of keys in the document are generated from the tags.
func TestDocumentHasTheKeys(t *testing.T) {
	types := map[string]reflect.Type{}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[experiment.Experiment](), reflect.TypeFor[experiment.Dataset](), reflect.TypeFor[field.WorkloadForm](), reflect.TypeFor[experiment.Script](),
		reflect.TypeFor[experiment.Init](), reflect.TypeFor[experiment.Event](), reflect.TypeFor[experiment.Environment](), reflect.TypeFor[experiment.Postgres](),
		reflect.TypeFor[experiment.Storage](), reflect.TypeFor[experiment.Volume](), reflect.TypeFor[experiment.Disk](), reflect.TypeFor[experiment.Emulation](),
		reflect.TypeFor[experiment.Limits](), reflect.TypeFor[experiment.CPUCredits](), reflect.TypeFor[experiment.At](), reflect.TypeFor[experiment.Generators](), reflect.TypeFor[experiment.Pressure](), reflect.TypeFor[experiment.Redis](), reflect.TypeFor[experiment.KeyDataset](), reflect.TypeFor[experiment.Replica](), reflect.TypeFor[experiment.Durability](), reflect.TypeFor[experiment.Step](), reflect.TypeFor[experiment.Form](),
		reflect.TypeFor[experiment.Cluster](), reflect.TypeFor[experiment.Kubernetes](), reflect.TypeFor[experiment.Synchronous](),
		reflect.TypeFor[experiment.Cost](), reflect.TypeFor[experiment.CostVolume](), reflect.TypeFor[experiment.Premises](),
	} {
		types[typ.Name()] = typ
	}
	types["workloadForm"] = types["WorkloadForm"]
	delete(types, "WorkloadForm")
	table := regexp.MustCompile(`(?s)(<!-- keys of (\w+) -->\n).*?(<!-- end -->)`)
	want := table.ReplaceAllStringFunc(readDocument(t), func(part string) string {
		m := table.FindStringSubmatch(part)
		typ := types[m[2]]
		if typ == nil {
			t.Errorf("no struct %s, or its second table", m[2])
			return part
		}
		delete(types, m[2])
		return m[1] + "\n" + keyTable(typ) + "\n" + m[3]
	})
	for name := range types {
		t.Errorf("no table of %s", name)
	}
	experimenttest.CompareGolden(t, document, want)
}

func keyTable(typ reflect.Type) string {
	var b strings.Builder
	b.WriteString("| key | value | default | |\n|---|---|---|---|\n")
	for _, f := range field.Of(typ) {
		fallback := ""
		if f.Default != "" {
			fallback = "`" + f.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, valueWords(f), fallback, f.About())
	}
	return b.String()
}

func valueWords(f field.Key) string {
	switch f.Type {
	case reflect.TypeFor[unit.Duration]():
		return "duration"
	case reflect.TypeFor[unit.Share]():
		return "share"
	case reflect.TypeFor[unit.Size]():
		return "size"
	case reflect.TypeFor[unit.Rate]():
		return "rate"
	case reflect.TypeFor[experiment.Volume]():
		return "directory, or keys"
	case reflect.TypeFor[experiment.At]():
		return "address, or keys"
	case reflect.TypeFor[[]experiment.At]():
		return "addresses, or keys"
	case reflect.TypeFor[experiment.Emulation](), reflect.TypeFor[experiment.CPUCredits]():
		return "name, or keys"
	case reflect.TypeFor[*device.Device]():
		return "keys"
	case reflect.TypeFor[[]experiment.Tablespace]():
		return "names: volumes"
	case reflect.TypeFor[map[string]string]():
		return "names: words"
	case reflect.TypeFor[[]experiment.Environment]():
		return "names: environments"
	}
	switch kind := f.Type.Kind(); {
	case f.Enum != nil:
		return strings.Join(f.Enum, ", ")
	case kind == reflect.Struct:
		return "keys"
	case kind == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
		return "list"
	case kind == reflect.Slice:
		return "list of " + strings.TrimPrefix(strictyaml.Expected(f.Type.Elem()), "a ") + "s"
	}
	return strings.TrimPrefix(strictyaml.Expected(f.Type), "a ")
}

// Every example in the document is valid, except the one with mistakes, for which plinth reports what
// the document shows.
func TestDocumentExamples(t *testing.T) {
	dir := t.TempDir()
	experimenttest.Write(t, filepath.Join(dir, "orders.sql"), "SELECT 1;")
	experimenttest.Write(t, filepath.Join(dir, "orders-tables.sql"), "CREATE TABLE orders (id int);")
	experimenttest.Write(t, filepath.Join(dir, "mine.yaml"), "name: mine\nread: {median: 2ms}\nwrite: {median: 3ms}\n")
	if err := os.Mkdir(filepath.Join(dir, "tuning"), 0o700); err != nil {
		t.Fatal(err)
	}
	experimenttest.Write(t, filepath.Join(dir, "tuning", "ours.yaml"), "name: ours\nsettings: {vm.dirty_bytes: 64MiB}\n")
	text := readDocument(t)
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(examples) < 5 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, example := range examples {
		if _, _, err := Parse("example.yaml", []byte(example[1]), dir, nil); err != nil {
			t.Errorf("%v\n%s", err, example[1])
		}
	}
	mistakes := regexp.MustCompile("(?s)```yaml mistakes\n(.*?)```\n\n```text\n(.*?)```").FindStringSubmatch(text)
	if mistakes == nil {
		t.Fatal("no example of mistakes")
	}
	_, _, err := Parse("lab.yaml", []byte(mistakes[1]), dir, nil)
	if got := experimenttest.Mistakes(t, err); got != mistakes[2] {
		t.Errorf("got\n%s\nwant\n%s", got, mistakes[2])
	}
}

func TestDocumentFlags(t *testing.T) {
	found := 0
	for line := range strings.Lines(readDocument(t)) {
		sets := experimenttest.FlagsIn(line)
		found += len(sets)
		if _, _, err := Parse("lab.yaml", []byte("{workloads: [select-only], duration: 60s, clients: 8, environments: {one: }}"), "", sets); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if found < 8 {
		t.Errorf("%d flags", found)
	}
}
