package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/hint"
)

// witnessTable has a row for each transaction of a witness. It has no index: a
// scan finds what is in the table itself.
const witnessTable = "plinth_witness"

// witness commits rows over several connections to the dataset's database.
type witness struct {
	database *database
	cancel   context.CancelFunc // breaks off what is under way
	stop     chan struct{}
	stopped  sync.Once
	done     sync.WaitGroup
	began    time.Time
	clients  []witnessClient
}

// witnessClient is one connection of a witness, and a goroutine.
type witnessClient struct {
	conn         *pgx.Conn
	acknowledged int64
	at           []int64 // when, each in nanoseconds since the witness began: 8 bytes for each commit
	ended        error   // why it ended by itself
}

// Witness makes the table anew and begins to commit to it.
func (o *Own) Witness(ctx context.Context, clients int) (engine.Witness, error) {
	w, err := o.newWitness(ctx, clients)
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("cannot commit transactions for a witness: %w", plain(err)),
			"max_connections must have room for them")
	}
	return w, nil
}

func (d *database) newWitness(ctx context.Context, clients int) (*witness, error) {
	if err := d.exec(ctx, d.name, "DROP TABLE IF EXISTS "+witnessTable); err != nil {
		return nil, err
	}
	if err := d.exec(ctx, d.name, "CREATE TABLE "+witnessTable+" (client int, number bigint)"); err != nil {
		return nil, err
	}
	w := &witness{database: d, stop: make(chan struct{}), began: time.Now(), clients: make([]witnessClient, clients)}
	for i := range w.clients {
		conn, err := d.aside(ctx, "plinth_witness")
		if err != nil {
			w.close()
			return nil, err
		}
		w.clients[i].conn = conn
	}
	// It lives as long as its server, not as long as the call that made it.
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w.cancel = cancel
	for i := range w.clients {
		w.done.Go(func() { w.commit(run, i) })
	}
	return w, nil
}

// commit inserts one row after the other until it is stopped or an answer does
// not come. It inserts at least one, however soon it is stopped.
func (w *witness) commit(ctx context.Context, client int) {
	c := &w.clients[client]
	for {
		insert := fmt.Sprintf("INSERT INTO %s VALUES (%d, %d)", witnessTable, client, c.acknowledged+1)
		if _, err := c.conn.PgConn().Exec(ctx, insert).ReadAll(); err != nil {
			c.ended = plain(err)
			return
		}
		c.acknowledged++
		c.at = append(c.at, int64(time.Since(w.began)))
		select {
		case <-w.stop:
			return
		default:
		}
	}
}

// Stop ends the witness.
func (w *witness) Stop(ctx context.Context) {
	w.stopped.Do(func() {
		close(w.stop)
		release := context.AfterFunc(ctx, w.cancel)
		w.done.Wait()
		release()
		w.cancel()
		w.close()
	})
}

func (w *witness) close() {
	for _, c := range w.clients {
		if c.conn != nil {
			closeSoon(c.conn)
		}
	}
}

// Count compares what was acknowledged with what is in the table. Where it can't look
// into that, the testimonies still say what was acknowledged.
func (w *witness) Count(ctx context.Context, in engine.Server) ([]engine.Testimony, error) {
	w.Stop(ctx)
	there, is := in.(*Own)
	if !is {
		return nil, errors.New("cannot count transactions in a server that is not plinth's own")
	}
	found := make([]engine.Testimony, len(w.clients))
	var all int64
	for i, c := range w.clients {
		found[i].Acknowledged = c.acknowledged
		all += c.acknowledged
	}
	if all == 0 {
		return nil, fmt.Errorf("the witness has committed nothing: %w", w.cause())
	}
	for i := range found {
		if err := w.find(ctx, &there.database, i, &found[i]); err != nil {
			return found, fmt.Errorf("cannot count the transactions that were committed: %w", err)
		}
	}
	return found, nil
}

// witnessSQL counts the numbers of one client that are there, and looks for the first
// one that is not: up to there a number is its own rank.
const witnessSQL = `WITH there AS (SELECT DISTINCT number FROM ` + witnessTable + ` WHERE client = $1),
	ranked AS (SELECT number, row_number() OVER (ORDER BY number) AS rank FROM there)
	SELECT count(*) FILTER (WHERE number <= $2), coalesce(max(number), 0), coalesce(max(number), 0) - count(*),
	coalesce(max(number) FILTER (WHERE number = rank), 0) + 1 FROM ranked`

// find looks for the rows of one client. Without the table, or the database, they
// are lost as well.
func (w *witness) find(ctx context.Context, there *database, client int, t *engine.Testimony) error {
	gone := int64(1) // the first number that is not there
	err := there.use(ctx, there.name, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, witnessSQL, client, t.Acknowledged).Scan(&t.Found, &t.Highest, &t.Holes, &gone)
	})
	if state := sqlState(err); state == stateNoTable || state == stateNoDatabase {
		err = nil
	}
	if err == nil && gone <= t.Acknowledged {
		t.Back = time.Duration(w.last() - w.clients[client].at[gone-1])
	}
	return err
}

// last is when the last acknowledgement came, of any client.
func (w *witness) last() int64 {
	var last int64
	for _, c := range w.clients {
		if c.acknowledged > 0 {
			last = max(last, c.at[c.acknowledged-1])
		}
	}
	return last
}

// cause is why the first connection that ended by itself did so.
func (w *witness) cause() error {
	for _, c := range w.clients {
		if c.ended != nil {
			return c.ended
		}
	}
	return errors.New("it had no connection")
}
