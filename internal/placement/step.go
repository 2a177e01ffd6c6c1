package placement

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/unit"
)

// Step is one change on the way to a layout.
type Step struct {
	Object string `json:"object,omitempty"` // what moves
	Do     string `json:"do,omitempty"`     // what to do, if it is not a statement
	SQL    string `json:"sql,omitempty"`
	// Lock says which lock is held, and Time for how long, at Rate. Measured: the rate was measured on
	// the disk; otherwise it is from the models.
	Lock     string        `json:"lock,omitempty"`
	Size     unit.Size     `json:"size,omitempty"`
	Rate     unit.Rate     `json:"rate,omitempty"`
	Measured bool          `json:"rate_is_measured,omitempty"`
	Time     time.Duration `json:"time_ns,omitempty"`
	// Gain is the device time a second that the move saves; negative if it costs some.
	Gain float64 `json:"gain_s"`
	// Instead lists other ways to make the same move, with a shorter lock.
	Instead []string `json:"instead,omitempty"`
}

// lockOfMove is the lock of ALTER … SET TABLESPACE.
// https://www.postgresql.org/docs/current/sql-altertable.html
const lockOfMove = "ACCESS EXCLUSIVE: nothing reads or writes it during the move"

// steps returns the changes in order, and the statements that take them back, in order.
func (p *problem) steps(layout []int) (steps []Step, undo []string) {
	steps, undo = []Step{}, []string{}
	spaces := make([]string, len(p.stores))
	for _, i := range p.moving(layout) {
		to := layout[i]
		if p.objects[i].Kind == WAL {
			steps = append(steps, p.moveWAL(i, to))
			continue
		}
		if spaces[to] == "" {
			spaces[to] = p.space(to)
		}
		step, back := p.moveObject(i, to, spaces[to])
		steps = append(steps, step)
		if back != "" {
			undo = append([]string{back}, undo...)
		}
	}
	parents, back := p.parents(layout, spaces)
	steps, undo = append(steps, parents...), append(back, undo...)
	var first []Step
	for s, space := range spaces {
		if space == "" || len(p.stores[s].Tablespaces) > 0 {
			continue
		}
		first = append(first, Step{
			Do:  "create an empty directory that belongs to the server's user",
			SQL: fmt.Sprintf("CREATE TABLESPACE %s LOCATION %s;", ident(space), literal(p.location(s))),
		})
		undo = append(undo, fmt.Sprintf("DROP TABLESPACE %s;", ident(space)))
	}
	return append(first, steps...), undo
}

// space returns the tablespace of a store: the first one there, or a new one with the name of the
// store. Names that begin with pg_ are reserved.
func (p *problem) space(s int) string {
	store := p.stores[s]
	if len(store.Tablespaces) > 0 {
		return store.Tablespaces[0]
	}
	name := strings.ReplaceAll(store.Name, "-", "_")
	if strings.HasPrefix(name, "pg_") {
		name = "on_" + name
	}
	return name
}

func (p *problem) location(s int) string {
	if at := p.stores[s].Location; at != "" {
		return at
	}
	return "/mnt/" + p.stores[s].Name + "/tablespace"
}

// moveObject returns the move of a relation or of the temporary files, and its undo.
func (p *problem) moveObject(i, to int, space string) (Step, string) {
	o := p.objects[i]
	if o.Kind == Temp {
		return p.moveTemp(i, to, space)
	}
	wal := p.indexOf(WAL)
	walStore := -1
	if wal >= 0 {
		walStore = p.now[wal]
	}
	rate, measured := p.copyRate(p.now[i], to, walStore, !o.Unlogged)
	what := verbs[o.Kind]
	s := Step{
		Object: o.Name, SQL: fmt.Sprintf("%s %s SET TABLESPACE %s;", what, o.Relation.SQL(), ident(space)), Lock: lockOfMove,
		Size: o.Size, Rate: unit.Rate(rate), Measured: measured, Time: duration(float64(o.Size) / rate), Gain: p.gain(i, to), Instead: alternatives(o, space),
	}
	if o.Tablespace == "" {
		return s, ""
	}
	return s, fmt.Sprintf("%s %s SET TABLESPACE %s;", what, o.Relation.SQL(), ident(o.Tablespace))
}

// moveTemp returns the setting that moves temporary files, and its undo.
func (p *problem) moveTemp(i, to int, space string) (Step, string) {
	set := func(value string) string { return "ALTER SYSTEM " + value + "; SELECT pg_reload_conf();" }
	back := "RESET temp_tablespaces"
	if was := p.objects[i].spaces; len(was) > 0 {
		quoted := make([]string, len(was))
		for k, one := range was {
			quoted[k] = ident(one)
		}
		back = "SET temp_tablespaces = " + strings.Join(quoted, ", ")
	}
	return Step{
		Object: Temp, SQL: set("SET temp_tablespaces = " + ident(space)), Gain: p.gain(i, to),
		Do: "let roles that need temporary files use the tablespace: GRANT CREATE ON TABLESPACE " + ident(space) + " TO PUBLIC;",
	}, set(back)
}

var verbs = map[string]string{
	relation.Table: "ALTER TABLE", relation.Partition: "ALTER TABLE", relation.MatView: "ALTER MATERIALIZED VIEW", relation.Index: "ALTER INDEX",
}

// alternatives returns other ways to make a move.
func alternatives(o Object, space string) []string {
	switch o.Kind {
	case relation.Index:
		return []string{fmt.Sprintf("from version 14 on, without blocking writes: REINDEX (TABLESPACE %s) INDEX CONCURRENTLY %s;", ident(space), o.Relation.SQL())}
	case relation.MatView:
		return nil
	}
	return []string{
		fmt.Sprintf("pg_repack --table=%s --tablespace=%s: locks briefly at the start and at the end; needs the extension and a primary key", shell(o.Relation.SQL()), shell(space)),
		"logical replication to a server with the new layout, and a switch to it: needs a primary key or a replica identity, and twice the space",
	}
}

// moveWAL returns how the WAL moves, for which there is no statement.
func (p *problem) moveWAL(i, to int) Step {
	return Step{
		Object: WAL, Gain: p.gain(i, to), Lock: "the server is stopped",
		Do: fmt.Sprintf("stop the server, move the directory pg_wal to %s, put a symbolic link in its place, start the server; to undo it, the same in the other direction", p.stores[to].Name),
		Instead: []string{
			"a standby made with pg_basebackup --waldir, and a switch to it: the interruption is as long as the switch",
		},
	}
}

// gain returns the device time a second that a move saves.
func (p *problem) gain(i, to int) float64 {
	if p.now[i] < 0 {
		return 0
	}
	return p.demands[i][p.now[i]].DeviceTime - p.demands[i][to].DeviceTime
}

func (p *problem) indexOf(kind string) int {
	for i, o := range p.objects {
		if o.Kind == kind {
			return i
		}
	}
	return -1
}

// ident quotes a name for a statement, literal a text, shell a word of a command line.
func ident(name string) string   { return pgx.Identifier{name}.Sanitize() }
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
func shell(word string) string   { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
