package postgres

import (
	"regexp"
	"strings"
)

// settingLine is a row of pg_settings: a name, a value, and perhaps a unit.
var settingLine = regexp.MustCompile(`^ *([a-z_]+(?:\.[a-z_]+)?) *\|([^|]*)(?:\|([^|]*))?$`)

// settingNames are names by which rows of pg_settings are recognised that have no header.
var settingNames = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(`autovacuum autovacuum_max_workers autovacuum_naptime autovacuum_work_mem bgwriter_delay bgwriter_lru_maxpages
		checkpoint_completion_target checkpoint_timeout commit_delay default_statistics_target effective_cache_size effective_io_concurrency fsync
		full_page_writes huge_pages io_method io_workers jit maintenance_work_mem max_connections max_parallel_workers max_parallel_workers_per_gather
		max_wal_senders max_wal_size max_worker_processes min_wal_size random_page_cost seq_page_cost server_version shared_buffers
		shared_preload_libraries synchronous_commit synchronous_standby_names temp_buffers track_io_timing wal_buffers wal_compression wal_level
		wal_sync_method wal_writer_delay work_mem`) {
		names[name] = true
	}
	return names
}()

// parseSetting reads a row without a header, if it is certain to be a setting.
func parseSetting(line string) (cells []string, ok bool) {
	cells, ok = otherSetting(line)
	return cells, ok && settingNames[cells[0]]
}

func isSettingLine(line string) bool {
	_, ok := parseSetting(line)
	return ok
}

// otherSetting reads a row of settings, once one is known to be.
func otherSetting(line string) ([]string, bool) {
	found := settingLine.FindStringSubmatch(line)
	if found == nil {
		return nil, false
	}
	return []string{found[1], strings.TrimSpace(found[2]), strings.TrimSpace(found[3])}, true
}
