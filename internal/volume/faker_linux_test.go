package volume

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/unit"
)

// tool runs an installed program.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// testLoop creates a loop device.
func testLoop(t *testing.T, size unit.Size, options ...string) string {
	t.Helper()
	file := filepath.Join(hosttest.OpenDir(t), "device")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, int64(size)); err != nil {
		t.Fatal(err)
	}
	loop := tool(t, "losetup", append(options, "--find", "--show", file)...)
	t.Cleanup(func() { tool(t, "losetup", "--detach", loop) })
	return loop
}

// fakeArrays replaces mdadm by fakeMdadm for the duration of the test, and returns the file that
// records all calls.
func fakeArrays(t *testing.T) (calls string) {
	t.Helper()
	dir, self := t.TempDir(), os.Args[0]
	if err := os.Symlink(self, filepath.Join(dir, "mdadm")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("PLINTH_TEST_MDADM", dir)
	before := arrayPrefix
	arrayPrefix = filepath.Join(dir, "md")
	t.Cleanup(func() { arrayPrefix = before })
	return filepath.Join(dir, "calls")
}

// fakeMdadm simulates mdadm for kernels without md: an array is a symlink to its first member,
// and superblocks are files in dir.
func fakeMdadm(dir string, args []string) error {
	calls, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(calls, strings.Join(args, " "))
	_ = calls.Close()
	last := args[len(args)-1]
	mark := func(device string) string { return filepath.Join(dir, "mark-"+filepath.Base(device)) }
	switch args[0] {
	case "--create":
		var uuid string
		for _, a := range args[2:] {
			if id, found := strings.CutPrefix(a, "--uuid="); found {
				uuid = id
			}
			if strings.HasPrefix(a, "/dev/") {
				if err := os.WriteFile(mark(a), []byte(uuid), 0o600); err != nil {
					return err
				}
			}
		}
		members := args[len(args)-2:]
		if err := os.WriteFile(mark(args[1]), []byte(uuid), 0o600); err != nil {
			return err
		}
		return os.Symlink(members[0], args[1])
	case "--detail", "--examine":
		uuid, err := os.ReadFile(mark(last))
		if err == nil {
			fmt.Printf("MD_LEVEL=raid1\nMD_UUID=%s\n", uuid)
		}
		return err
	case "--stop":
		return os.Remove(last)
	case "--zero-superblock":
		return os.Remove(mark(last))
	}
	return fmt.Errorf("unknown: %v", args)
}
