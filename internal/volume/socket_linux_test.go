package volume

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/journal/journaltest"
)

func TestSocketDir(t *testing.T) {
	user, j := serverUser(t), journaltest.Open(t, Undoers())
	dir, err := SocketDir(j, user)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	asServer(t, user, "/bin/touch", dir+longestSocketName)
	if err := j.PutBack(t.Context(), Undoers()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("it is left: %v", err)
	}
}

func TestSocketDirThatIsTooLong(t *testing.T) {
	j := journaltest.Open(t, Undoers())
	long := filepath.Join(hosttest.OpenDir(t), strings.Repeat("x", 70))
	if err := os.Mkdir(long, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := socketDir(j, serverUser(t), []string{long})
	if err == nil || !strings.Contains(err.Error(), "107 bytes") || len(j.Entries()) != 0 {
		t.Errorf("error is %v, journal %v", err, j.Entries())
	}
	dir, err := socketDir(j, serverUser(t), []string{long, "/tmp"})
	if err != nil || !strings.HasPrefix(dir, "/tmp/plinth-") {
		t.Errorf("it is %q, %v; want one in /tmp", dir, err)
	}
}
