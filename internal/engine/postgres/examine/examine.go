// Package examine reads what a PostgreSQL server and its database report about themselves, and
// where on this machine the server keeps its files. It changes nothing.
package examine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/host"

	"github.com/jackc/pgx/v5"
)

// Facts holds what a server and its database report about themselves. Sizes are in bytes, ages in
// seconds or in transactions. What the role may not see is a gap: its field is empty or, where
// that could be taken for a number, -1.
// https://www.postgresql.org/docs/current/monitoring-stats.html
type Facts struct {
	Version   string    `json:"version"`     // "15.18 (Debian 15.18-0+deb12u1)"
	VersionN  int       `json:"version_num"` // 150018
	Transport string    `json:"transport"`   // "socket", "tcp", "tls"
	Address   string    `json:"address"`     // the directory of the socket, or host and port
	User      string    `json:"user"`
	Database  string    `json:"database"`
	Role      Role      `json:"role"`
	Started   time.Time `json:"started"`
	Standby   bool      `json:"in_recovery"`

	Settings     []Setting      `json:"settings"`
	Databases    []DatabaseSize `json:"databases"`
	Extensions   []Extension    `json:"extensions"` // of this database
	Tablespaces  []Tablespace   `json:"tablespaces"`
	WAL          WALFiles       `json:"wal"`
	Checkpoints  Checkpoints    `json:"checkpoints"`
	Connections  Connections    `json:"connections"`
	OldestXmin   int64          `json:"oldest_xmin_age"` // of the oldest snapshot of a session, in transactions
	Transactions []Transaction  `json:"transactions"`    // those open longest, the longest first
	Prepared     []Prepared     `json:"prepared_transactions"`
	Standbys     []Standby      `json:"standbys"`
	Slots        []Slot         `json:"replication_slots"`
	Neglected    []Neglected    `json:"neglected_tables"` // of this database

	Gaps []Gap `json:"gaps"`

	process found // the server's first process on this machine
}

// found is a process of this machine, or why none was found; neither if none was looked for.
type found struct {
	pid int
	err error
}

// unclear reports whether the process may be one of this machine, although none was found.
func (f found) unclear() bool { return f.err != nil && !errors.Is(f.err, host.ErrNoProcess) }

// Role holds what plinth's role may see.
type Role struct {
	Superuser bool `json:"superuser"`
	Settings  bool `json:"reads_all_settings"` // pg_read_all_settings
	Stats     bool `json:"reads_all_stats"`    // pg_read_all_stats
}

// Gap is something that could not be read, why, and which role may read it ("" if no role would
// help).
type Gap struct {
	What string `json:"what"`
	Why  string `json:"why"`
	Role string `json:"role,omitempty"`
}

// Read connects to a server and reads everything about it. It changes nothing: each part is read
// in a read-only transaction with its own time limits. It returns an error if the server cannot
// be queried.
func Read(ctx context.Context, conninfo conninfo.Conninfo) (Facts, error) {
	config, err := client.ConfigOf(conninfo)
	if err != nil {
		return Facts{}, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Facts{}, client.Unreachable(config, err)
	}
	defer client.Leave(conn)
	var f Facts
	f.Transport, f.Address = client.Transport(conn.PgConn(), config)
	if err := client.ReadOnly(ctx, conn, func(ctx context.Context) error { return Identity(ctx, conn, &f) }); err != nil {
		return Facts{}, fmt.Errorf("cannot query the server: %w", client.Plain(err))
	}
	f.process.pid, f.process.err = processOf(ctx, conn)
	for _, p := range parts {
		p.readInto(ctx, conn, &f)
	}
	f.blind()
	return f, ctx.Err()
}

// part is something that is read separately, so that a missing privilege or a timeout leaves a
// gap and no more.
type part struct {
	what string
	role string // a role that may always read it
	read func(context.Context, *pgx.Conn, *Facts) error
}

var parts = []part{
	{"settings", "", readSettingsOf},
	{"databases", "pg_read_all_stats", rows(databasesSQL, func(f *Facts) *[]DatabaseSize { return &f.Databases })},
	{"extensions", "", rows(extensionsSQL, func(f *Facts) *[]Extension { return &f.Extensions })},
	{"tablespaces", "", rows(tablespacesSQL, func(f *Facts) *[]Tablespace { return &f.Tablespaces })},
	{"the size of pg_wal", "pg_monitor", readWAL},
	{"checkpoints", "", readCheckpoints},
	{"connections", "", readConnections},
	{"open transactions", "pg_read_all_stats", rows(transactionsSQL, func(f *Facts) *[]Transaction { return &f.Transactions })},
	{"prepared transactions", "", rows(preparedSQL, func(f *Facts) *[]Prepared { return &f.Prepared })},
	{"standbys", "pg_read_all_stats", rows(standbysSQL, func(f *Facts) *[]Standby { return &f.Standbys })},
	{"replication slots", "", rows(slotsSQL, func(f *Facts) *[]Slot { return &f.Slots })},
	{"statistics of tables", "", rows(neglectedSQL, func(f *Facts) *[]Neglected { return &f.Neglected })},
}

// rows returns a function that reads the result of sql into a list of the facts.
func rows[T any](sql string, list func(*Facts) *[]T) func(context.Context, *pgx.Conn, *Facts) error {
	return func(ctx context.Context, conn *pgx.Conn, f *Facts) (err error) {
		*list(f), err = client.All[T](ctx, conn, sql)
		return err
	}
}

func (p part) readInto(ctx context.Context, conn *pgx.Conn, f *Facts) {
	if conn.IsClosed() {
		f.Gaps = append(f.Gaps, Gap{What: p.what, Why: "the connection was lost earlier"})
		return
	}
	err := client.ReadOnly(ctx, conn, func(ctx context.Context) error { return p.read(ctx, conn, f) })
	if err == nil {
		return
	}
	gap := Gap{What: p.what, Why: client.Plain(err).Error()}
	if client.State(err) == client.StateDenied {
		gap.Role = p.role
	}
	f.Gaps = append(f.Gaps, gap)
}

// blind adds gaps for what the server hides without an error: missing rows, and columns that are
// null.
func (f *Facts) blind() {
	denied := func(what string) bool {
		return slices.ContainsFunc(f.Gaps, func(g Gap) bool { return g.What == what })
	}
	const why = "only other roles can see them"
	if !f.Role.Settings && !denied("settings") {
		f.Gaps = append(f.Gaps, Gap{"some settings, including data_directory, and the files that set them", why, "pg_read_all_settings"})
	}
	if !f.Role.Stats && !denied("open transactions") {
		f.Gaps = append(f.Gaps, Gap{"the transactions of other users, and standbys", why, "pg_read_all_stats"})
	}
	if slices.ContainsFunc(f.Databases, func(d DatabaseSize) bool { return d.Size < 0 }) {
		f.Gaps = append(f.Gaps, Gap{"the sizes of databases that this role may not connect to", why, "pg_read_all_stats"})
	}
}
