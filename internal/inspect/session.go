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
		benchmark:  "rows that have died since then cannot be removed: tables bloat from run to run",
		production: "the same; and its locks persist across restarts",
		do:         "ask its owner, then: ROLLBACK PREPARED '{}'",
	},
	{
		name: "idle-in-transaction", weight: 57, about: ofServer, check: idleInTransaction,
		benchmark:  "rows that have died since then cannot be removed, and its locks remain held",
		production: "the same",
		do:         "SELECT pg_terminate_backend({}); set idle_in_transaction_session_timeout to prevent a recurrence",
	},
	{
		name: "old-snapshot", weight: 56, about: ofServer, check: oldSnapshot,
		benchmark:  "rows that have died since then cannot be removed: tables bloat from run to run",
		production: "the same",
		do:         "SELECT pid, backend_xmin, query FROM pg_stat_activity ORDER BY age(backend_xmin) DESC NULLS LAST",
	},
	{
		name: "long-transaction", weight: 54, about: ofServer, check: longTransaction,
		benchmark:  "it adds load to the server, and holds an old snapshot",
		production: "rows that have died since then cannot be removed",
		do:         "check what it does, then, if it may be cancelled: SELECT pg_cancel_backend({})",
	},
	{
		name: "connections", weight: 51, about: ofServer, check: connections,
		benchmark:  "a load with more clients is refused; idle sessions make each snapshot slightly slower",
		production: "connections are refused at the next peak",
		do:         "use a pooler (PgBouncer) rather than a larger max_connections",
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
	return found("a prepared transaction has been pending for %s (%s of %s, in %s)", ago(p.Age), p.ID, p.Owner, p.Database).
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
	return found("a session has been idle in transaction for %s (%s)", ago(t.Still), whose).on(fmt.Sprint(t.PID))
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
	e := found("%s holds a snapshot that is %s transactions old", holder, millions(oldest))
	if holder != "a session" {
		e.do = "find out what it is for; see pg_replication_slots and pg_prepared_xacts"
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
