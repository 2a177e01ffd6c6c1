// Package hostiletest damages records as an attacker could. Tests use it to check that programs
// that read a record do not execute its contents, follow its links, trust its claims, or
// exhaust the machine.
package hostiletest

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Case is one way to damage a record.
type Case struct {
	Name string
	// Damage changes the good record in dir. Run is a run of it, a path in dir.
	Damage func(dir, run string) error
	// Shown says that every command still succeeds, except for a part of one run.
	Shown bool
	// Opens says that the record can be opened and its runs shown, but not that every command succeeds.
	// A record that neither is shown nor opens is refused.
	Opens bool
}

// Cases returns all cases.
func Cases() []Case {
	return slices.Concat(points(), logs(), documents(), files(), texts())
}

// Run returns the directory of a run of the record in dir.
func Run(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "runs/*/*/*/*/run.json"))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("no run in %s: %w", dir, err)
	}
	return filepath.Dir(found[0]), nil
}

// with puts a field before the others of a JSON object.
func with(field []byte) func([]byte) []byte {
	return func(good []byte) []byte {
		_, rest, _ := strings.Cut(string(good), "{")
		return slices.Concat([]byte("{"), field, []byte(","), []byte(rest))
	}
}

// inEnvironment replaces the volumes of an environment.
func inEnvironment(volumes string) func(dir, run string) error {
	return func(dir, _ string) error {
		found, err := filepath.Glob(filepath.Join(dir, "environments", "*.json"))
		if err != nil || len(found) == 0 {
			return fmt.Errorf("no environment in %s: %w", dir, err)
		}
		return edit(found[0], func(good []byte) []byte {
			return with([]byte(`"volumes":` + volumes))([]byte(strings.Replace(string(good), `"volumes"`, `"volumes_"`, 1)))
		})
	}
}

// documents are JSON and YAML files that grow when they are decoded.
func documents() []Case {
	many := func(head, element string, n int) []byte {
		return []byte(head + strings.Repeat(element+",", n-1) + element)
	}
	inRun := func(data func(good []byte) []byte) func(dir, run string) error {
		return func(_, run string) error { return edit(filepath.Join(run, "run.json"), data) }
	}
	in := func(name string, data func(good []byte) []byte) func(dir, run string) error {
		return func(dir, _ string) error { return edit(filepath.Join(dir, name), data) }
	}
	return []Case{
		{Name: "many empty warnings of a run", Damage: inRun(with(append(many(`"warnings":[`, `{}`, 2_500_000), ']')))},
		{Name: "many figures of a run", Damage: inRun(with(append(many(`"figures":{`, `"x":1`, 1_300_000), '}')))},
		{Name: "long text in a run", Damage: inRun(with([]byte(`"status_":"` + strings.Repeat("x", 7<<20) + `"`)))},
		{Name: "nested lists in a run", Damage: inRun(with([]byte(`"x":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20))))},
		{Name: "many verdicts", Damage: in("record.json", with(append(many(`"verdicts":[`, `{}`, 20_000_000), ']')))},
		{Name: "many samples", Damage: in("record.json", with(append(many(`"samples":[`, `{}`, 400_000), ']')))},
		{Name: "huge question", Damage: in("record.json", with([]byte(`"question":"`+strings.Repeat("a ", 30<<20)+`"`)))},
		{Name: "question of a megabyte", Shown: true, Damage: in("record.json", func(good []byte) []byte {
			return []byte(strings.Replace(string(good), `"question": "`, `"question": "`+strings.Repeat("a ", 1<<19), 1))
		})},
		{Name: "histogram of another geometry", Shown: true, Damage: inRun(func(good []byte) []byte {
			return []byte(histogramField.ReplaceAllLiteralString(string(good), `"histogram": "`+wideHistogram()+`"`))
		})},
		{Name: "numbers beyond floats", Damage: in("record.json", with([]byte(`"seed":1e308`)))},
		{Name: "not a number", Damage: inRun(with([]byte(`"number":NaN`)))},
		{Name: "nested YAML", Opens: true, Damage: in("experiment.yaml", func([]byte) []byte { return []byte("a: " + strings.Repeat("[", 900_000)) })},
		{Name: "YAML of aliases", Opens: true, Damage: in("experiment.yaml", func([]byte) []byte { return laughs() })},
		{Name: "many environments in the experiment", Opens: true, Damage: in("experiment.yaml", func(good []byte) []byte {
			return slices.Concat(good, []byte("x: ["), many("", "{}", 300_000), []byte("]\n"))
		})},
		{Name: "many environments", Opens: true, Damage: func(dir, _ string) error {
			good, err := os.ReadFile(filepath.Join(dir, "record.json"))
			for i := 0; i < 20_000 && err == nil; i++ {
				text := fmt.Sprintf(`{"schema":"plinth/environment/v1","name":"e%d","x":%q}`, i, good)
				err = os.WriteFile(filepath.Join(dir, "environments", fmt.Sprintf("e%d.json", i)), []byte(text), 0o644)
			}
			return err
		}},
		{Name: "array without members", Damage: inEnvironment(`[{"role":"data","is":{"model":{"name":"x","array":{"level":10,"members":4}}}}]`)},
		{Name: "columns without end", Damage: in("experiment.yaml", func(good []byte) []byte {
			return slices.Concat(good, []byte("columns: ["), many("", "p99-under-1ms, p99-under-2ms, wait.A.B", 30_000), []byte("]\n"))
		}), Opens: true},
		{Name: "later schema", Damage: in("record.json", func(good []byte) []byte {
			return []byte(strings.Replace(string(good), "plinth/record/v1", "plinth/record/v2", 1))
		})},
	}
}

var histogramField = regexp.MustCompile(`"histogram": "[^"]*"`)

// wideHistogram returns a short histogram with as many counters as the format allows.
func wideHistogram() string {
	text, err := hdrhistogram.New(1, math.MaxInt64, 5).EncodeV2()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// laughs returns a YAML document of a few lines that expands to a billion values.
func laughs() []byte {
	text := &strings.Builder{}
	text.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(text, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return []byte(text.String())
}

func edit(path string, change func([]byte) []byte) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, change(data), 0o644)
}

// files are links, devices and pipes in place of files.
func files() []Case {
	var cases []Case
	for _, name := range []string{"record.json", "experiment.yaml", "machine.json", "RUN/run.json", "RUN/points.parquet", "RUN/latency.hlog"} {
		part := strings.HasSuffix(name, ".parquet") || strings.HasSuffix(name, ".hlog")
		for how, put := range map[string]func(path string) error{
			"a link out":  func(path string) error { return os.Symlink("/etc/passwd", path) },
			"a pipe":      func(path string) error { return syscall.Mkfifo(path, 0o644) },
			"a socket":    func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o644, 0) },
			"a directory": func(path string) error { return os.Mkdir(path, 0o755) },
			"nothing":     func(string) error { return nil },
		} {
			special := how != "a directory" && how != "nothing"
			cases = append(cases, Case{
				Name:  fmt.Sprintf("%s instead of %s", how, name),
				Shown: part && !special || how == "nothing" && name == "machine.json",
				Damage: func(dir, run string) error {
					path := strings.Replace(filepath.Join(dir, name), filepath.Join(dir, "RUN"), run, 1)
					if err := os.Remove(path); err != nil && name != "machine.json" {
						return err
					}
					return put(path)
				},
			})
		}
	}
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return append(cases,
		Case{Name: "many runs", Damage: manyRuns, Shown: true},
		Case{Name: "runs of many objects", Damage: heavyRuns(8, "{", warnings(200_000, ""))},
		Case{Name: "runs of as many objects as are read", Shown: true, Damage: heavyRuns(3, "{", warnings(200_000, ""))},
		Case{Name: "runs of long texts", Damage: heavyRuns(25, "{", warnings(7, strings.Repeat("x", 1<<20)))},
		Case{Name: "runs of as long texts as are read", Shown: true, Damage: heavyRuns(20, "{", warnings(7, strings.Repeat("x", 1<<20)))},
		Case{Name: "runs with long marks", Shown: true, Damage: heavyRuns(20, `"marks": [`,
			strings.Repeat(`{"second": 1, "kind": "log", "text": "`+strings.Repeat("x", 1<<20)+`"},`, 7))},
		Case{Name: "runs of as many figures as are read", Shown: true, Damage: heavyRuns(9, "{", figures(450_000))},
	)
}

// warnings returns a field of a run with n warnings.
func warnings(n int, text string) string {
	return `"warnings": [` + strings.Repeat(`{"text": "`+text+`"},`, n) + "{}],"
}

// figures returns a field of a run with n figures.
func figures(n int) string {
	text := &strings.Builder{}
	text.WriteString(`"figures": {`)
	for i := range n {
		fmt.Fprintf(text, `"f%x": 1,`, i)
	}
	return text.String() + `"last": 1},`
}

// heavyRuns adds n runs with text after the first place of before. Each file is within its own limits;
// together they can exceed those of a whole record.
func heavyRuns(n int, before, text string) func(dir, run string) error {
	return func(_, run string) error {
		data, err := os.ReadFile(filepath.Join(run, "run.json"))
		good, rest, found := strings.Cut(string(data), before)
		if !found {
			return fmt.Errorf("no %s in a run: %w", before, err)
		}
		heavy := good + before + text + rest
		for i := 2; i < 2+n && err == nil; i++ {
			dir := filepath.Join(filepath.Dir(run), fmt.Sprintf("r%02d", 100+i))
			if err = os.Mkdir(dir, 0o755); err == nil {
				err = os.WriteFile(filepath.Join(dir, "run.json"), []byte(strings.Replace(heavy, `"repeat": 1,`, fmt.Sprintf(`"repeat": %d,`, 100+i), 1)), 0o644)
			}
		}
		return err
	}
}

// manyRuns adds 10,000 runs: copies with another repeat.
func manyRuns(_, run string) error {
	good, err := os.ReadFile(filepath.Join(run, "run.json"))
	if err != nil {
		return err
	}
	for i := 2; i < 10_000 && err == nil; i++ {
		dir := filepath.Join(filepath.Dir(run), fmt.Sprintf("r%02d", 100+i))
		text := strings.Replace(string(good), `"repeat": 1,`, fmt.Sprintf(`"repeat": %d,`, 100+i), 1)
		if err = os.Mkdir(dir, 0o755); err == nil {
			err = os.WriteFile(filepath.Join(dir, "run.json"), []byte(text), 0o644)
		}
	}
	return err
}

// texts are names that lead elsewhere.
func texts() []Case {
	name := func(old, text string) func(dir, run string) error {
		return func(_, run string) error {
			return edit(filepath.Join(run, "run.json"), func(good []byte) []byte {
				return []byte(strings.Replace(string(good), old, text, 1))
			})
		}
	}
	return []Case{
		{Name: "a run of an environment elsewhere", Damage: name(`"environment": "`, `"environment": "../../`)},
		{Name: "a run of a workload elsewhere", Damage: name(`"workload": "`, `"workload": "/etc/`)},
		{Name: "a run too fast", Damage: name(`"tps": `, `"tps": 1e308, "x": `)},
	}
}
