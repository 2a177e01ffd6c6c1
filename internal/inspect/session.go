package inspect

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/engine/postgres/examine"
)

var sessionRules = []rule{
	{
		name: "prepared-old", weight: 61, about: ofServer, check: preparedOld,
		benchmark:  "nothing that died since can be cleaned up: tables swell from run to run",
		production: "the same; and its locks stay, restarts or not",
		do:         "ask whose it is, then: ROLLBACK PREPARED '{}'",
	},
	{
		name: "idle-in-transaction", weight: 57, about: ofServer, check: idleInTransaction,
		benchmark:  "nothing that died since can be cleaned up, and its locks stay",
		production: "the same",
		do:         "SELECT pg_terminate_backend({}); idle_in_transaction_session_timeout keeps it from coming back",
	},
	{
		name: "old-snapshot", weight: 56, about: ofServer, check: oldSnapshot,
		benchmark:  "nothing that died since can be cleaned up: tables swell from run to run",
		production: "the same",
		do:         "SELECT pid, backend_xmin, query FROM pg_stat_activity ORDER BY age(backend_xmin) DESC NULLS LAST",
	},
	{
		name: "long-transaction", weight: 54, about: ofServer, check: longTransaction,
		benchmark:  "another load on the server, and an old snapshot",
		production: "nothing that died since can be cleaned up",
		do:         "see what it does, then maybe: SELECT pg_cancel_backend({})",
	},
	{
		name: "connections", weight: 51, about: ofServer, check: connections,
		benchmark:  "a load with more clients is refused; sessions that idle cost each snapshot a little",
		production: "the next peak is refused",
		do:         "a pooler (PgBouncer) rather than a larger max_connections",
	},
}

// Durations above which something is reported, in seconds.
const (
	longIdle     = 5 * 60
	longRunning  = 60 * 60
	longPrepared = 60 * 60
)

// manyTransactions is the maximum age of a snapshot, in transactions.
const manyTransactions = 10_000_000

func preparedOld(in *Input) evidence {
	i := slices.IndexFunc(in.Server.Prepared, func(p examine.Prepared) bool { return p.Age >= longPrepared })
	if i < 0 {
		return nothing
	}
	p := in.Server.Prepared[i]
	return found("a prepared transaction has waited for %s (%s of %s, in %s)", ago(p.Age), p.ID, p.Owner, p.Database).
		on(strings.ReplaceAll(p.ID, "'", "''"))
}

// oldest returns the oldest transaction for which holds returns true, and describes its session.
// Transactions are sorted by age.
func (in *Input) oldest(holds func(examine.Transaction) bool) (t examine.Transaction, whose string, there bool) {
	i := slices.IndexFunc(in.Server.Transactions, holds)
	if i < 0 {
		return t, "", false
	}
	t = in.Server.Transactions[i]
	whose = fmt.Sprintf("pid %d, %s in %s", t.PID, t.User, t.Database)
	if t.Application != "" {
		whose += ", " + t.Application
	}
	return t, whose, true
}

func idleInTransaction(in *Input) evidence {
	t, whose, there := in.oldest(func(t examine.Transaction) bool {
		return strings.HasPrefix(t.State, "idle in transaction") && t.Still >= longIdle
	})
	if !there {
		return nothing
	}
	return found("a session has idled in a transaction for %s (%s)", ago(t.Still), whose).on(fmt.Sprint(t.PID))
}

func longTransaction(in *Input) evidence {
	t, whose, there := in.oldest(func(t examine.Transaction) bool { return t.State == "active" && t.Age >= longRunning })
	if !there {
		return nothing
	}
	return found("a transaction has run for %s (%s)", ago(t.Age), whose).on(fmt.Sprint(t.PID))
}

// oldSnapshot finds what prevents the cleanup of dead rows: a session, a replication slot, or a
// prepared transaction.
func oldSnapshot(in *Input) evidence {
	oldest, holder := in.Server.OldestXmin, "a session"
	for _, s := range in.Server.Slots {
		if s.XminAge > oldest {
			oldest, holder = s.XminAge, "replication slot "+s.Name
		}
	}
	for _, p := range in.Server.Prepared {
		if p.XIDAge > oldest {
			oldest, holder = p.XIDAge, "prepared transaction "+p.ID
		}
	}
	if oldest < manyTransactions {
		return nothing
	}
	e := found("%s keeps a snapshot that is %s transactions old", holder, millions(oldest))
	if holder != "a session" {
		e.do = "see who it is for; pg_replication_slots and pg_prepared_xacts tell more"
	}
	return e
}

func connections(in *Input) evidence {
	c := in.Server.Connections
	if c.Most == 0 || float64(c.Used) < 0.85*float64(c.Most) {
		return nothing
	}
	return found("%d of %d connections are in use", c.Used, c.Most)
}
