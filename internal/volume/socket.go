package volume

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
)

// The path of a socket has at most 107 bytes (sockaddr_un, unix(7)); longestSocketName is
// PostgreSQL's longest socket name.
const (
	maxSocketPath     = 107
	longestSocketName = "/.s.PGSQL.65535"
)

// SocketDir creates a directory for a server's sockets that only owner (nil for plinth's own
// user) may enter. Undoing the journal removes it.
func SocketDir(j *journal.Journal, owner *launch.User) (string, error) {
	bases := []string{os.TempDir(), "/tmp"}
	if os.Geteuid() == 0 && makeRunDir() == nil {
		bases = append([]string{runDir}, bases...)
	}
	return socketDir(j, owner, bases)
}

// PipeDir creates a private directory for the pipes of load generators, in memory if possible:
// writing to a pipe updates its timestamps, and so writes to its filesystem. Undoing the journal
// removes it.
func PipeDir(j *journal.Journal) (string, error) {
	return socketDir(j, nil, []string{"/dev/shm", os.TempDir()})
}

// socketDir creates the directory in the first suitable one of bases.
func socketDir(j *journal.Journal, owner *launch.User, bases []string) (string, error) {
	var failures []error
	for _, base := range bases {
		dir, err := socketDirIn(j, owner, base)
		if err == nil {
			return dir, nil
		}
		failures = append(failures, err)
	}
	return "", hint.Wrap(fmt.Errorf("cannot make a directory for sockets: %w", errors.Join(failures...)),
		"set TMPDIR to a directory with a short path that plinth can write to")
}

func socketDirIn(j *journal.Journal, owner *launch.User, base string) (string, error) {
	base, err := resolve(base)
	if err != nil {
		return "", err
	}
	id := rand.Text()
	path := filepath.Join(base, "plinth-"+strings.ToLower(id[:8]))
	if len(path+longestSocketName) > maxSocketPath {
		return "", fmt.Errorf("the path of a socket in %s would have more than %d bytes", path, maxSocketPath)
	}
	if ok, blocking := owner.CanEnter(base); !ok {
		return "", fmt.Errorf("the user %s, which runs the server, cannot enter %s", owner.Name, blocking)
	}
	v := &Volume{journal: j}
	dir, err := v.makeDirectory(context.Background(), path, id)
	if err == nil {
		err = errors.Join(giveAway(dir, owner), dir.Close())
	}
	if err != nil {
		return "", errors.Join(err, v.Remove(context.Background()))
	}
	return path, nil
}

// giveAway makes a directory accessible to owner only.
func giveAway(dir *os.Root, owner *launch.User) error {
	if err := dir.Chmod(".", 0o700); err != nil {
		return err
	}
	if owner == nil {
		return nil
	}
	return dir.Chown(".", owner.UID, owner.GID)
}
