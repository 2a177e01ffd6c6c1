package limit

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

// TestHugePages: a limit on memory includes the huge pages of the group's processes, as long as they have them.
func TestHugePages(t *testing.T) {
	needController(t, memoryController)
	reserveHugePages(t, 8*mapped) // servers of other tests use some
	g := makeHere(t, journaltest.Open(t, Undoers()), experiment.Limits{Memory: 256 * unit.MiB})
	limit := func() string {
		t.Helper()
		if err := g.CountHugePages(); err != nil {
			t.Fatal(err)
		}
		value, err := readWord(g.memory.dir, settingsOf(target{version: g.memory.version}, memoryController, experiment.Limits{Memory: 1})[0].file)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	if got := limit(); got != strconv.Itoa(256<<20) || g.Facts().HugePages != 0 {
		t.Errorf("without processes, the limit is %s, and the huge pages are %d", got, g.Facts().HugePages)
	}
	p := startHuge(t, g)
	if got := limit(); got != strconv.Itoa(256<<20-mapped) || g.Facts().HugePages != mapped || g.Facts().Memory != 256<<20 {
		t.Errorf("with huge pages, the limit is %s, and the facts are %+v", got, g.Facts())
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := limit(); got != strconv.Itoa(256<<20) || g.Facts().HugePages != 0 {
		t.Errorf("after them, the limit is %s, and the huge pages are %d", got, g.Facts().HugePages)
	}

	small := makeHere(t, journaltest.Open(t, Undoers()), experiment.Limits{Memory: 80 * unit.MiB})
	p = startHuge(t, small)
	if err := small.CountHugePages(); err == nil || !strings.Contains(err.Error(), "(64MiB) leave less than 32MiB of its memory (80MiB)") || hint.Of(err) == "" {
		t.Errorf("%v (%s)", err, hint.Of(err))
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := (*Group)(nil).CountHugePages(); err != nil {
		t.Error(err)
	}
}

// startHuge starts a process in the group that has mapped huge pages.
func startHuge(t *testing.T, g *Group) launch.Process {
	t.Helper()
	said, out := io.Pipe()
	p, err := launch.NewLocal().Start(launch.Command{Path: os.Args[0], Groups: g.Directories(),
		Env: append(os.Environ(), "PLINTH_TEST_HELPER=huge"), Stdout: out, Stderr: out})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	go func() { // it may end before it says anything
		<-p.Done()
		_ = out.Close()
	}()
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "mapped\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return p
}

// reserveHugePages makes the machine reserve so many bytes in huge pages more, until the test ends.
func reserveHugePages(t *testing.T, bytes int) {
	t.Helper()
	hosttest.LockKernel(t)
	const file = "/proc/sys/vm/nr_hugepages"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(file, text, 0); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(file, []byte(strconv.Itoa(was+bytes/(2<<20))), 0); err != nil {
		t.Fatal(err)
	}
}
