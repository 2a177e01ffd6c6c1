package postgres

import (
	"fmt"
	"path/filepath"
	"strconv"

	"plinth/internal/experiment"
)

// Commands returns what an administrator would type to create a server with its parts at places,
// by role; and, as comments, how to move the parts of an existing server there. They are for
// reading: plinth also starts its servers under a guard and with additional settings.
func (Kind) Commands(e *experiment.Experiment, env experiment.Environment, places map[string]string) []string {
	data := places[experiment.RoleData]
	initdb := "initdb --pgdata=" + data
	var lines []string
	if wal, apart := places[experiment.RoleWAL]; apart {
		initdb += " --waldir=" + wal
		lines = append(lines, "# for an existing server: stop it, then move its WAL",
			"# mv "+filepath.Join("DATA", "pg_wal")+" "+filepath.Join(wal, "pg_wal")+" && ln -s "+filepath.Join(wal, "pg_wal")+" "+filepath.Join("DATA", "pg_wal"))
	}
	lines = append(lines, initdb, "pg_ctl --pgdata="+data+" start")
	for _, t := range env.Storage.Tablespaces {
		place := places[experiment.RoleTablespace+" "+t.Name]
		lines = append(lines, psql("CREATE TABLESPACE "+t.Name+" LOCATION '"+place+"'"))
	}
	if temp, apart := places[experiment.RoleTemp]; apart {
		lines = append(lines, psql("CREATE TABLESPACE "+tempTablespace+" LOCATION '"+temp+"'"),
			psql("ALTER SYSTEM SET temp_tablespaces = '"+tempTablespace+"'"), psql("SELECT pg_reload_conf()"))
	}
	return append(lines, loadCommands(e)...)
}

// ReplicaCommands returns what an administrator would type to create a standby from a base backup
// of a primary that libpq finds (PGHOST, PGPORT). It uses a slot, so that the primary keeps the
// WAL that the standby has not received yet.
func (Kind) ReplicaCommands(_ *experiment.Experiment, env experiment.Environment, places map[string]string) []string {
	data := places[experiment.RoleData]
	backup := "pg_basebackup --pgdata=" + data + " --write-recovery-conf --checkpoint=fast --wal-method=stream --create-slot --slot=" + replicaName
	if wal, apart := places[experiment.RoleWAL]; apart {
		backup += " --waldir=" + wal
	}
	lines := []string{backup, "pg_ctl --pgdata=" + data + " start"}
	if env.Replica.Synchronous {
		lines = append(lines, "# of the primary", psql("ALTER SYSTEM SET synchronous_standby_names = '*'"), psql("SELECT pg_reload_conf()"))
	}
	return lines
}

// loadCommands returns the commands that load the dataset into its tablespaces. An existing table
// is moved, and is locked meanwhile.
func loadCommands(e *experiment.Experiment) []string {
	d := e.Dataset
	if d.Scale == 0 {
		return nil
	}
	load := "pgbench --initialize --scale=" + strconv.Itoa(d.Scale)
	if d.Tablespace != "" {
		load += " --tablespace=" + d.Tablespace
	}
	if d.IndexSpace != "" {
		load += " --index-tablespace=" + d.IndexSpace
	}
	lines := []string{load + " postgres"}
	if d.Tablespace != "" {
		lines = append(lines, "# to move an existing table, which stays locked (ACCESS EXCLUSIVE) meanwhile:",
			"# "+psql("ALTER TABLE pgbench_accounts SET TABLESPACE "+d.Tablespace))
	}
	return lines
}

// Statement returns what an administrator would type to run a statement.
func (Kind) Statement(text string) string { return psql(text) }

func psql(statement string) string { return fmt.Sprintf("psql --command=%q", statement) }
