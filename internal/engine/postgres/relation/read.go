package relation

import (
	"context"
	"encoding/csv"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/hint"
)

// Options limit a reading. A zero value stands for the default.
type Options struct {
	// Most is how many relations are kept one by one: half of them are the most active, half the
	// largest. All others are in the groups alone. Default 5,000.
	Most int
	// Limit is how long one query may take. Default one minute.
	Limit time.Duration
	// Ages are the columns whose values are read, as the age of rows.
	Ages []Column
	// Progress, if not nil, is called with the number of relations read so far.
	Progress func(read int)
}

const (
	defaultMost  = 5000
	defaultLimit = time.Minute
	// progressEvery is the number of relations between two calls of Progress.
	progressEvery = 10000
)

// Read connects to a server and reads the statistics of the database, in one transaction that can
// change nothing. Errors quote nothing of the connection string.
func Read(ctx context.Context, server conninfo.Conninfo, o Options) (Reading, error) {
	config, err := client.ConfigOf(server)
	if err != nil {
		return Reading{}, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Reading{}, client.Unreachable(config, err)
	}
	defer client.Leave(conn)
	return From(ctx, conn, o)
}

// From is Read on an existing connection.
func From(ctx context.Context, conn *pgx.Conn, o Options) (Reading, error) {
	if o.Most <= 0 {
		o.Most = defaultMost
	}
	if o.Limit <= 0 {
		o.Limit = defaultLimit
	}
	l := Reading{Schema: Schema}
	err := client.Snapshot(ctx, conn, o.Limit, func(ctx context.Context) error { return l.read(ctx, conn, o) })
	switch {
	case err == nil:
		return l, nil
	case client.State(err) == stateCancelled:
		err = hint.Wrap(client.Plain(err), "the database has more relations than can be read in "+o.Limit.String()+": allow more time")
	case client.State(err) == stateLocked:
		err = hint.Wrap(client.Plain(err), "another session locked a table during the reading: try again")
	default:
		err = client.Plain(err)
	}
	return Reading{}, fmt.Errorf("cannot read the statistics: %w", err)
}

// The server's codes for a query that took too long, and for a lock that did.
const (
	stateCancelled = "57014" // query_canceled
	stateLocked    = "55P03" // lock_not_available
)

func (l *Reading) read(ctx context.Context, conn *pgx.Conn, o Options) error {
	s, d, temp, identified := &l.Server, &l.Database, "", false
	err := client.One(ctx, conn, identitySQL, &l.Taken, &s.Version, &s.VersionN, &s.Standby, &s.AllStats, &identified,
		&l.SinceKnown, &l.Since, &d.OID, &d.Name, &d.Size, &d.Tablespace, &d.Read, &d.Hit, &d.Commits, &d.TempBytes, &d.BlockSize, &l.Writes.Timeout, &temp, &l.WAL.Most)
	if err != nil {
		return err
	}
	if d.TempTablespaces, err = names(temp); err != nil {
		return err
	}
	if identified {
		if err := client.One(ctx, conn, systemSQL, &s.System); err != nil {
			return err
		}
	}
	if s.VersionN >= 150000 {
		// Otherwise the session would keep a copy of the statistics of every relation.
		if err := client.One(ctx, conn, "SELECT set_config('stats_fetch_consistency', 'none', true)", new(string)); err != nil {
			return err
		}
	}
	var since [2]*time.Time
	w, b := &l.WAL, &l.Writes
	if err := client.One(ctx, conn, of(walSQL, s.VersionN), &w.Bytes, &w.Writes, &w.Syncs, &since[0]); err != nil {
		return err
	}
	err = client.One(ctx, conn, of(writesSQL, s.VersionN), &b.Checkpointer, &b.Background, &b.Backends, &since[1], &b.Checkpoints)
	if err != nil {
		return err
	}
	w.Since, b.Since = orZero(since[0]), orZero(since[1])
	if l.Tablespaces, err = client.All[Tablespace](ctx, conn, tablespacesSQL); err != nil {
		return err
	}
	if err := l.readRelations(ctx, conn, o); err != nil {
		return err
	}
	for _, c := range o.Ages {
		age, err := readAge(ctx, conn, c)
		if err != nil {
			return err
		}
		l.Ages = append(l.Ages, age)
	}
	return nil
}

// names divides a list of names, of which some are quoted, as settings have them.
func names(list string) ([]string, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	r := csv.NewReader(strings.NewReader(list))
	r.TrimLeadingSpace = true
	all, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("temp_tablespaces: %w", err)
	}
	return all, nil
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// readRelations reads the relations one after the other, so that memory is needed for those that
// are kept and for the groups only.
func (l *Reading) readRelations(ctx context.Context, conn *pgx.Conn, o Options) error {
	rows, err := conn.Query(ctx, relationsQuery(l.Server.VersionN))
	if err != nil {
		return err
	}
	defer rows.Close()
	k := newKeeper(o.Most)
	spaces := map[uint32]string{0: l.Database.Tablespace}
	for _, t := range l.Tablespaces {
		spaces[t.OID] = t.Name
	}
	for read := 1; rows.Next(); read++ {
		r, err := scanRelation(rows, spaces)
		if err != nil {
			return err
		}
		k.add(r)
		if o.Progress != nil && read%progressEvery == 0 {
			o.Progress(read)
		}
	}
	l.Relations, l.Groups = k.result()
	return rows.Err()
}

// scanRelation reads one row of relationsQuery.
func scanRelation(rows pgx.Rows, spaces map[uint32]string) (Relation, error) {
	var (
		r                                                      Relation
		kind, of, parentSchema, parent, rootSchema, root       string
		partition                                              bool
		space, future                                          uint32
		fetched, toastFetched, toastIndexFetched, scans, byAll int64
		seqScan, indexScan                                     pgtype.Timestamptz
	)
	err := rows.Scan(&r.OID, &kind, &partition, &r.Schema, &r.Name.Name, &of, &parentSchema, &parent, &rootSchema, &root,
		&space, &future, &r.Unlogged, &r.Size, &r.Toast, &r.Estimated, &r.Rows, &fetched, &r.Hit, &toastFetched, &r.ToastHit,
		&toastIndexFetched, &r.ToastIndexHit, &scans, &byAll, &r.Inserted, &r.Updated, &r.HotUpdated, &r.Deleted, &seqScan, &indexScan)
	if err != nil {
		return r, err
	}
	r.Tablespace = spaces[space]
	// A counter of hits may be newer than that of blocks.
	r.Read, r.ToastRead, r.ToastIndexRead = max(0, fetched-r.Hit), max(0, toastFetched-r.ToastHit), max(0, toastIndexFetched-r.ToastIndexHit)
	r.SeqScans, r.IndexScans = scans, byAll
	switch {
	case kind == "i":
		r.Kind, r.Of = Index, &Name{r.Schema, of}
		r.SeqScans, r.IndexScans = 0, scans
	case kind == "m":
		r.Kind = MatView
	case partition:
		r.Kind = Partition
	default:
		r.Kind = Table
	}
	if parent != "" && r.Kind != Index {
		r.Parent = &Name{parentSchema, parent}
	}
	if root != "" {
		r.Root, r.Future = &Name{rootSchema, root}, spaces[future]
	}
	r.LastSeqScan, r.LastIndexScan = instant(seqScan), instant(indexScan)
	return r, nil
}

func instant(t pgtype.Timestamptz) *time.Time {
	if !t.Valid || t.InfinityModifier != pgtype.Finite {
		return nil
	}
	utc := t.Time.UTC()
	return &utc
}
