package placing

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/cli/base"
	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/record/index"
	"plinth/internal/report/runpage"
)

// recordRates returns the rates of a run of a record; is is false if there is no record of that name, which then
// is a server's.
func (a *app) recordRates(name string, flags placeFlags) (rates relation.Rates, is bool, err error) {
	is, err = namesRecord(a.Store, name)
	switch {
	case err != nil:
		return rates, is, err
	case !is && (flags.run != "" || flags.environment != ""):
		return rates, is, hint.Errorf("plinth list shows the records", "--run and --environment need a record: %s is none", conninfo.Redact(name))
	case !is:
		return rates, is, nil
	case flags.watch != "" || len(flags.save) > 0 || flags.relations != 0:
		return rates, is, hint.Errorf("leave them out; dbname="+name+" is a database of this name", "--for, --save and --relations cannot be used with a record")
	}
	found, kept, err := a.relationsOf(name, flags)
	if err != nil {
		return rates, is, err
	}
	of := fmt.Sprintf("run %s of record %s", runpage.Path(found.Run), filepath.Base(found.Record.Path))
	var readings []relation.Reading
	for _, file := range [][]byte{kept.Before, kept.After} {
		l, err := relation.Decode(file)
		if err != nil {
			return rates, is, hint.Wrap(fmt.Errorf("cannot read the statistics of %s: %w", of, err), "restore the record from a copy")
		}
		readings = append(readings, l)
	}
	if rates, err = ratesOf(readings); err != nil {
		return rates, is, fmt.Errorf("%s: %w", of, err)
	}
	rates.Of = of
	return rates, is, nil
}

// stamp is the end of a record's name, after that of its experiment.
var stamp = regexp.MustCompile(`-\d{8}T\d{6}Z(-\d+)?$`)

// namesRecord reports whether a name is that of a record rather than of a server. It is one as for other commands,
// but needs at least the whole name of the experiment: the name of a database may be the beginning of another
// name.
func namesRecord(store, name string) (bool, error) {
	path, err := index.Find(store, name)
	if name == index.Latest || err == nil && path == name {
		return err == nil, err
	}
	entries, _ := index.List(store) // where none can be listed, it is a server
	for _, e := range entries {
		if strings.HasPrefix(e.Name, name) && len(name) >= len(stamp.ReplaceAllString(e.Name, "")) {
			return err == nil, err
		}
	}
	return false, nil
}

// relationsOf returns the statistics of the run that is named, or of the last valid run of an environment that has
// some: by default of the baseline.
func (a *app) relationsOf(name string, flags placeFlags) (of runpage.RunOf, kept record.Relations, err error) {
	if flags.run != "" {
		if of, err = a.FindRun([]string{name}, flags.run, map[string]*record.Record{}); err != nil {
			return of, kept, err
		}
		kept, err = of.Record.Relations(of.Run)
		if errors.Is(err, fs.ErrNotExist) {
			err = noRelations(of.Record, "run "+runpage.Path(of.Run))
		}
		return of, kept, err
	}
	if of.Record, err = base.OpenRecord(a.Store, []string{name}); err != nil {
		return of, kept, err
	}
	environment := cmp.Or(flags.environment, of.Record.Summary.Baseline)
	if err := base.CheckEnvironment(of.Record, environment); err != nil {
		return of, kept, err
	}
	for i := range slices.Backward(of.Record.Runs) {
		of.Run = &of.Record.Runs[i]
		if of.Run.Environment != environment || of.Run.Status != record.Valid {
			continue
		}
		if kept, err = of.Record.Relations(of.Run); !errors.Is(err, fs.ErrNotExist) {
			return of, kept, err
		}
	}
	return of, kept, noRelations(of.Record, "no valid run of "+environment)
}

// noRelations says why a record has no statistics of tables and indexes.
func noRelations(rec *record.Record, what string) error {
	name := filepath.Base(rec.Path)
	switch {
	case rec.Import != nil:
		return hint.Errorf("give two readings of the server: --stats FILE,FILE", "record %s was imported: it has no statistics of tables and indexes", name)
	case rec.Summary.Engine != experiment.EnginePostgres:
		return hint.Errorf("plinth place is for PostgreSQL", "record %s is of %s, which has no tables", name, rec.Summary.Engine)
	case strings.HasPrefix(what, "no "):
		what += " has statistics of tables and indexes"
	default:
		what += " has no statistics of tables and indexes"
	}
	return hint.Errorf("run the experiment again with this version of plinth and with telemetry, or give two readings of a server: --stats FILE,FILE", "record %s: %s", name, what)
}
