package knob

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"plinth/internal/hint"
)

// Engines with known parameters.
const (
	postgres = "postgres"
	redis    = "redis"
)

// manuals holds the documentation of each engine's parameters.
var manuals = map[string]Source{
	postgres: {Author: "PostgreSQL", Title: "Server Configuration", URL: "https://www.postgresql.org/docs/current/runtime-config.html"},
	redis:    {Author: "Redis", Title: "Redis configuration", URL: "https://redis.io/docs/latest/operate/oss_and_stack/management/config/"},
}

// Parameter returns a server parameter as a Knob: of "postgres" 13 to 18 by its name in
// pg_settings, ignoring case, or of "redis" (including Valkey) by its name in CONFIG. Ranges are the
// widest of all versions: the server's own range takes precedence. Parameters of
// PostgreSQL's extensions (name.name) are of kind Text.
func Parameter(engine, name string) (Knob, bool) {
	all, _ := parameters() // a test checks that the files are valid
	if k, known := all[engine][strings.ToLower(name)]; known {
		return k, true
	}
	if engine == postgres && ofExtension(name) {
		return Knob{
			Name: name, Layer: Server, Engine: postgres, Scope: OfServer, Kind: Text,
			Doc: "a parameter of an extension", Source: manuals[postgres],
		}, true
	}
	return Knob{}, false
}

// Parameters returns all parameters of an engine, sorted by name.
func Parameters(engine string) []Knob {
	all, _ := parameters()
	var list []Knob
	for _, k := range all[engine] {
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b Knob) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// extension matches PostgreSQL's names with a dot.
var extension = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)+$`)

// ofExtension reports whether a name is that of an extension's parameter rather than a
// misspelt sysctl.
func ofExtension(name string) bool {
	space, _, _ := strings.Cut(strings.ToLower(name), ".")
	return extension.MatchString(name) && !slices.Contains([]string{"vm", "kernel", "net", "fs", "dev", "user"}, space) &&
		hint.Nearest(name, names(All())) == ""
}

// parameters returns all parameters by engine and lower-case name. It reads them once, from
// files captured from servers by capture/postgres.sh and capture/redis.sh.
var parameters = sync.OnceValues(func() (map[string]map[string]Knob, error) {
	all := map[string]map[string]Knob{}
	var known marks
	if err := decode("server.yaml", &known); err != nil {
		return nil, err
	}
	for _, e := range engines {
		engine := e.name
		all[engine] = map[string]Knob{}
		rows, err := readRows(engine + ".csv")
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			k, err := row.knob(engine)
			if err != nil {
				return nil, fmt.Errorf("cannot read the parameters of %s: %s: %w", engine, row["name"], err)
			}
			all[engine][strings.ToLower(k.Name)] = k
		}
		if err := known.mark(engine, all[engine]); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// row is a line of a parameter file, by column name.
type row map[string]string

func readRows(file string) ([]row, error) {
	content, err := data.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the parameters: %w", err)
	}
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, fmt.Errorf("cannot read the parameters: %s: %w", file, err)
	}
	var rows []row
	for _, record := range records[1:] {
		r := row{}
		for i, column := range records[0] {
			r[column] = record[i]
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// knob returns a row as a Knob.
func (r row) knob(engine string) (Knob, error) {
	k := Knob{
		Name: r["name"], Layer: Server, Engine: engine, Scope: OfServer, Kind: Kind(r["kind"]), Unit: r["unit"],
		Default: r["default"], Needs: Needs(r["needs"]), Versions: r["versions"], Doc: r["doc"], Source: manuals[engine],
	}
	if r["words"] != "" {
		k.Words = strings.Split(r["words"], "|")
	}
	for column, bound := range map[string]**float64{"min": &k.Min, "max": &k.Max} {
		if r[column] == "" {
			continue
		}
		f, err := strconv.ParseFloat(r[column], 64)
		if err != nil {
			return Knob{}, fmt.Errorf("%s is %q", column, r[column])
		}
		*bound = &f
	}
	// Show the default as the server does; leave a default outside its own range unchanged
	// (-1 for a value computed at startup).
	if canonical, err := k.Canonical(k.Default); err == nil {
		k.Default = canonical
	}
	return k, nil
}

// marks holds facts about parameters that servers do not report: server.yaml.
type marks struct {
	Documents map[string]reference `yaml:"documents"`
	Postgres  []mark               `yaml:"postgres"`
	Redis     []mark               `yaml:"redis"`
}

type mark struct {
	Name        string   `yaml:"name"`
	Unsafe      []string `yaml:"unsafe"`
	Persistence []string `yaml:"persistence"`
	Doc         string   `yaml:"doc"`
	Risk        string   `yaml:"risk"`
	Source      *cited   `yaml:"source"`
}

// mark adds these facts to the parameters of an engine.
func (m marks) mark(engine string, parameters map[string]Knob) error {
	for _, known := range map[string][]mark{postgres: m.Postgres, redis: m.Redis}[engine] {
		k, there := parameters[known.Name]
		if !there {
			return fmt.Errorf("cannot read the parameters of %s: unknown parameter %s", engine, known.Name)
		}
		k.Unsafe, k.Persistence, k.Risk = known.Unsafe, known.Persistence, known.Risk
		if known.Doc != "" {
			k.Doc = known.Doc
		}
		if known.Source != nil {
			source, err := known.Source.in(m.Documents)
			if err != nil {
				return fmt.Errorf("cannot read the parameters of %s: %s: %w", engine, known.Name, err)
			}
			k.Source = source
		}
		parameters[known.Name] = k
	}
	return nil
}
