package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/hint"
)

// witnessTable has a row for each numbered transaction. It has no index: a scan finds what is in
// the table itself.
const witnessTable = "plinth_witness"

// witness commits rows over several connections to the dataset's database.
type witness struct{ *life.Witness }

// witnessConn is one connection of a witness.
type witnessConn struct {
	conn   *pgx.Conn
	client int
}

// Write inserts a row.
func (c witnessConn) Write(ctx context.Context, number int64) error {
	insert := fmt.Sprintf("INSERT INTO %s VALUES (%d, %d)", witnessTable, c.client, number)
	_, err := c.conn.PgConn().Exec(ctx, insert).ReadAll()
	return client.Plain(err)
}

// Close closes the connection, whatever the server does.
func (c witnessConn) Close() { client.Leave(c.conn) }

// Witness creates the table anew and starts to commit to it.
func (o *Own) Witness(ctx context.Context, clients int) (engine.Witness, error) {
	return o.witness(ctx, func() (*life.Witness, error) {
		return life.NewWitness(clients, func(index int) (life.Connection, error) {
			conn, err := o.aside(ctx, witnessName)
			return witnessConn{conn, index}, err
		})
	})
}

// Witness creates the table anew and starts to commit to it. It connects again after a fault: others
// start the server again, or lead its address to another one.
func (c *Connected) Witness(ctx context.Context, clients int) (engine.Witness, error) {
	return c.witness(ctx, func() (*life.Witness, error) {
		return life.NewLasting(clients, func(ctx context.Context, index int) (life.Connection, error) {
			config := c.asideConfig(witnessName)
			config.DialFunc = life.Dialer().DialContext
			conn, err := pgx.ConnectConfig(ctx, config)
			return witnessConn{conn, index}, err
		})
	})
}

// witnessName is the application_name of a witness.
const witnessName = "plinth_witness"

// witness creates the table, and starts a witness.
func (d *database) witness(ctx context.Context, start func() (*life.Witness, error)) (engine.Witness, error) {
	d.close() // after an earlier fault, the session may be that of a server that is gone
	err := d.exec(ctx, d.name, "DROP TABLE IF EXISTS "+witnessTable)
	if err == nil {
		err = d.exec(ctx, d.name, "CREATE TABLE "+witnessTable+" (client int, number bigint)")
	}
	var w *life.Witness
	if err == nil {
		w, err = start()
	}
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("cannot start the numbered transactions that count losses: %w", client.Plain(err)),
			"raise max_connections: counting losses needs several connections")
	}
	return witness{w}, nil
}

// itself returns what Own and Connected share.
func (d *database) itself() *database { return d }

// Count compares the acknowledged numbers with those in the table. If it can't read the table,
// the testimonies still hold what was acknowledged.
func (w witness) Count(ctx context.Context, in engine.Server) ([]engine.Testimony, error) {
	w.Stop(ctx)
	server, is := in.(interface{ itself() *database })
	if !is {
		return nil, errors.New("cannot count transactions in a server that is not PostgreSQL")
	}
	there := server.itself()
	found := make([]engine.Testimony, len(w.Clients))
	if w.Last() == 0 {
		return nil, fmt.Errorf("no numbered transaction was committed: %w", w.Cause())
	}
	there.close()
	for i := range w.Clients {
		found[i].Acknowledged = int64(len(w.Clients[i].At))
	}
	for i := range found {
		if err := w.find(ctx, there, i, &found[i]); err != nil {
			return found, fmt.Errorf("cannot count the committed transactions: %w", err)
		}
	}
	return found, nil
}

// witnessSQL counts the numbers of one client that exist, and finds the first missing one: up to
// there a number equals its rank.
const witnessSQL = `WITH there AS (SELECT DISTINCT number FROM ` + witnessTable + ` WHERE client = $1),
	ranked AS (SELECT number, row_number() OVER (ORDER BY number) AS rank FROM there)
	SELECT count(*) FILTER (WHERE number <= $2), coalesce(max(number), 0), coalesce(max(number), 0) - count(*),
	coalesce(max(number) FILTER (WHERE number = rank), 0) + 1 FROM ranked`

// find looks up the rows of one client. If the table or the database does not exist, they are
// lost, too.
func (w witness) find(ctx context.Context, there *database, index int, t *engine.Testimony) error {
	gone := int64(1) // the first missing number
	err := there.use(ctx, there.name, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, witnessSQL, index, t.Acknowledged).Scan(&t.Found, &t.Highest, &t.Holes, &gone)
	})
	if state := client.State(err); state == client.StateNoTable || state == client.StateNoDatabase {
		err = nil
	}
	if err == nil && gone <= t.Acknowledged {
		t.Back = max(w.Last()-w.Clients[index].At[gone-1], 0)
	}
	return err
}
