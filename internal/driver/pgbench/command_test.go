package pgbench

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/driver/drivertest"
	"plinth/internal/record"
)

// TestKeptCommand has a shell read the line back.
func TestKeptCommand(t *testing.T) {
	keep := drivertest.In(t, t.TempDir())
	want := []string{"/usr/bin/pgbench", "-c", "4", "", "-D", "a=it's $HOME; *", "host=/s dbname=d", "line\nbreak"}
	if err := keepCommand(record.Driver{Program: "pgbench", Version: "15.18", Command: want}, keep); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(keep.Raw, "command.txt"))
	if err != nil {
		t.Fatal(err)
	}
	version, line, _ := strings.Cut(string(text), "\n")
	if version != "# pgbench 15.18" || !strings.HasPrefix(line, "/usr/bin/pgbench -c 4 '' -D ") {
		t.Errorf("%s", text)
	}
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+line).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, want) {
		t.Errorf("a shell reads %q", got)
	}
}
