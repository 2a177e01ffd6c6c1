package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plinth/internal/conninfo"

	"github.com/jackc/pgx/v5"
)

// Facts is what a server and its database say about themselves. Sizes are in
// bytes, ages in seconds or in transactions. What the role may not see is a gap,
// and its field is empty or, where that could be meant as a number, -1.
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
}

// Role is what plinth's role may see.
type Role struct {
	Superuser bool `json:"superuser"`
	Settings  bool `json:"reads_all_settings"` // pg_read_all_settings
	Stats     bool `json:"reads_all_stats"`    // pg_read_all_stats
}

// Gap is what could not be read, why, and which role may read it ("" when no role
// would help).
type Gap struct {
	What string `json:"what"`
	Why  string `json:"why"`
	Role string `json:"role,omitempty"`
}

// Examine reaches a server and reads what there is to know about it. It changes
// nothing: each part is read in a read-only transaction with time limits of its
// own. The error says that there is no server to be asked.
func Examine(ctx context.Context, conninfo conninfo.Conninfo) (Facts, error) {
	config, err := StatisticsOf(conninfo)
	if err != nil {
		return Facts{}, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Facts{}, unreachable(config, err)
	}
	defer leave(conn)
	var f Facts
	f.Transport, f.Address = transport(conn.PgConn(), config)
	if err := readOnly(ctx, conn, func(ctx context.Context) error { return readIdentity(ctx, conn, &f) }); err != nil {
		return Facts{}, fmt.Errorf("cannot ask the server: %w", plain(err))
	}
	for _, p := range parts {
		p.readInto(ctx, conn, &f)
	}
	f.blind()
	return f, ctx.Err()
}

// part is something that is read by itself, so that what is not permitted, or
// takes too long, leaves a gap and no more.
type part struct {
	what string
	role string // that may always read it
	read func(context.Context, *pgx.Conn, *Facts) error
}

var parts = []part{
	{"settings", "", readSettingsOf},
	{"databases", "pg_read_all_stats", readDatabases},
	{"extensions", "", readExtensions},
	{"tablespaces", "", readTablespaces},
	{"the size of pg_wal", "pg_monitor", readWAL},
	{"checkpoints", "", readCheckpoints},
	{"connections", "", readConnections},
	{"open transactions", "pg_read_all_stats", readTransactions},
	{"prepared transactions", "", readPrepared},
	{"standbys", "pg_read_all_stats", readStandbys},
	{"replication slots", "", readSlots},
	{"statistics of tables", "", readNeglected},
}

func (p part) readInto(ctx context.Context, conn *pgx.Conn, f *Facts) {
	if conn.IsClosed() {
		f.Gaps = append(f.Gaps, Gap{What: p.what, Why: "the connection was lost before"})
		return
	}
	err := readOnly(ctx, conn, func(ctx context.Context) error { return p.read(ctx, conn, f) })
	if err == nil {
		return
	}
	gap := Gap{What: p.what, Why: plain(err).Error()}
	if sqlState(err) == stateDenied {
		gap.Role = p.role
	}
	f.Gaps = append(f.Gaps, gap)
}

// blind adds what the server hides without an error: rows that are not there, and
// columns that are null.
func (f *Facts) blind() {
	denied := func(what string) bool {
		return slices.ContainsFunc(f.Gaps, func(g Gap) bool { return g.What == what })
	}
	const why = "the server shows it to other roles only"
	if !f.Role.Settings && !denied("settings") {
		f.Gaps = append(f.Gaps, Gap{"some settings, data_directory among them, and the files that set them", why, "pg_read_all_settings"})
	}
	if !f.Role.Stats && !denied("open transactions") {
		f.Gaps = append(f.Gaps, Gap{"the transactions of other users, and standbys", why, "pg_read_all_stats"})
	}
	if slices.ContainsFunc(f.Databases, func(d DatabaseSize) bool { return d.Size < 0 }) {
		f.Gaps = append(f.Gaps, Gap{"the sizes of databases that it may not connect to", why, "pg_read_all_stats"})
	}
}

// How long one part may take: the server breaks it off after examineLimit; a
// server that does not even do that is left after examineDeaf.
const (
	examineLimit = 3 * time.Second
	examineDeaf  = 6 * time.Second
)

// begin starts a transaction that can change nothing, waits for no lock, and
// finds functions and operators nowhere but in the server's own catalog: a
// database may have others of the same names, which would run with the rights of
// plinth's role. Nothing is given when connecting, because poolers refuse
// settings there.
var begin = fmt.Sprintf("BEGIN READ ONLY; SET LOCAL search_path = pg_catalog; "+
	"SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = 500", examineLimit.Milliseconds())

// ownSettings are those that begin, and connecting, give plinth's own session.
var ownSettings = []string{"application_name", "search_path", "statement_timeout", "lock_timeout", "transaction_read_only"}

// readOnly lets read ask within one such transaction.
func readOnly(ctx context.Context, conn *pgx.Conn, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, examineDeaf)
	defer cancel()
	if _, err := conn.PgConn().Exec(ctx, begin).ReadAll(); err != nil {
		return err
	}
	err := read(ctx)
	if _, end := conn.PgConn().Exec(ctx, "ROLLBACK").ReadAll(); err == nil {
		err = end
	}
	return err
}

func leave(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the server closes its end in any case
}

// one reads a single row.
func one(ctx context.Context, conn *pgx.Conn, sql string, into ...any) error {
	return conn.QueryRow(ctx, sql).Scan(into...)
}

// all reads rows, each into a T by the order of its fields.
func all[T any](ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]T, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}
