package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/experiment"
)

// Statistics is how to reach the dataset's database, for one more session that
// reads statistics while the load runs. It holds the password.
func (d *database) Statistics() *pgx.ConnConfig {
	config := d.config.Copy()
	config.Database = d.name
	return config
}

// FollowLog passes each whole line of the server's log on as it comes, until it is
// called again; with nil to nobody. The lines of a connected server can't be read.
func (o *Own) FollowLog(each func(at time.Time, line string)) { o.log.follow(each) }

func (l *serverLog) follow(each func(at time.Time, line string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.each = each
}

// StatisticsOf is the same for a server that is only looked at. Errors quote
// nothing of the connection string.
func StatisticsOf(conninfo experiment.Conninfo) (*pgx.ConnConfig, error) {
	return examineConfig(conninfo)
}
