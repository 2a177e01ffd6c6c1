package figure

import (
	"strings"
)

// ofMachine begin the names of figures of the machine that the server runs on.
var ofMachine = []string{
	"dirty-", "memory-", "cpu-use", "cpu-by-server", "cpu-by-others", "cpu-iowait", "cpu-steal", "cpu-pressure", "io-pressure",
	"cycles-", "instructions-", "dtlb-misses-", "llc-misses-", "remote-numa-",
	"data-disk-", "wal-disk-", "disk-read-share", "dataset-over-memory",
}

const whyElsewhere = "the server does not run on the machine that plinth reads"

// elsewhere says whether a figure would be of a machine that is not the server's: the
// load generator's disks and memory are no figures of the database.
func (m *maker) elsewhere(figure string) bool {
	if !m.in.Environment.Elsewhere {
		return false
	}
	for _, prefix := range ofMachine {
		if strings.HasPrefix(figure, prefix) {
			return true
		}
	}
	return false
}
