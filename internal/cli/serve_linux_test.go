package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

var addressPattern = regexp.MustCompile(`http://\S+`)

// address returns the last address that plinth printed.
func (w *faultWorld) address() string {
	w.Helper()
	all := addressPattern.FindAllString(w.said.String(), -1)
	if len(all) == 0 {
		w.Fatalf("no address:\n%s", w.said)
	}
	return all[len(all)-1]
}

// get requests an address and follows redirects.
func (w *faultWorld) get(address string) (status int, path, body string) {
	w.Helper()
	client := http.Client{Timeout: patience}
	response, err := client.Get(address)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.Fatal(err)
	}
	return response.StatusCode, response.Request.URL.Path, string(text)
}

// TestServe checks that plinth serves until Ctrl-C, which is a normal end.
func TestServe(t *testing.T) {
	w := newFaultWorld(t)
	w.start("serving results at http://127.0.0.1:", "serve", "--listen", "127.0.0.1:0")
	w.await("warning: the directory results does not exist yet")
	address := w.address()
	if status, _, body := w.get(address); status != http.StatusOK || !strings.Contains(body, "plinth run") {
		t.Errorf("%d:\n%s", status, body)
	}
	first := w.cmd
	second := &faultWorld{killWorld: w.killWorld}
	second.start("", "serve", "--listen", strings.Trim(strings.TrimPrefix(address, "http://"), "/"))
	<-second.end
	if code := second.cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(second.said.String(), "address already in use\nhint: another plinth serve") {
		t.Errorf("exit code %d:\n%s", code, second.said)
	}
	w.cmd = first // the worlds share it
	_ = w.cmd.Process.Signal(syscall.SIGINT)
	w.await("stopping: nothing was changed")
	w.exits(0)
}

// TestServeElsewhere checks that other addresses than loopback need the printed token.
func TestServeElsewhere(t *testing.T) {
	w := newFaultWorld(t)
	w.start("?token=", "serve", "--listen", "0.0.0.0:0")
	w.await("warning: the connection is not encrypted")
	u, err := url.Parse(w.address())
	if err != nil {
		t.Fatal(err)
	}
	u.Host = "127.0.0.1:" + u.Port() // the machine's name may not resolve
	u.RawQuery = ""
	if status, _, _ := w.get(u.String()); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	w.exits(0)
}

// TestRunServe checks that the page follows a run to its end, and that serving then ends without
// a terminal.
func TestRunServe(t *testing.T) {
	w := newFaultWorld(t)
	w.start("page: http://127.0.0.1:", "run", "--serve", "--set", "duration=3s", "alone.yaml")
	page := w.address()
	w.await("loading one") // the record exists by then
	status, path, body := w.get(page)
	if status != http.StatusOK || !strings.HasPrefix(path, "/record/alone-") || !strings.Contains(body, `<div id="live">`) {
		t.Errorf("%d %s:\n%s", status, path, body)
	}
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/api" + path + "/live"
	response, err := http.Get(u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	stream, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("%s, %v", response.Status, err)
	}
	for _, part := range []string{`"step":"driving"`, `"points":[{`, `event: changed`, `"runs":2`, `"state":"complete"`} {
		if !strings.Contains(string(stream), part) {
			t.Errorf("the stream had no %s", part)
		}
	}
	w.exits(0)
	if strings.Contains(w.said.String(), "still serving") {
		t.Errorf("it served on:\n%s", w.said)
	}
}

// TestRunServeOnATerminal checks that the page stays available until Ctrl-C.
func TestRunServeOnATerminal(t *testing.T) {
	w := newFaultWorld(t)
	w.startOnTerminal("run", "--serve", "alone.yaml")
	w.await("still serving at http://127.0.0.1:")
	if status, path, body := w.get(w.address()); status != http.StatusOK || !strings.HasPrefix(path, "/record/alone-") || strings.Contains(body, `<div id="live">`) {
		t.Errorf("%d %s:\n%s", status, path, body)
	}
	if found, _ := filepath.Glob(filepath.Join(w.dir, "state", "*.journal")); len(found) > 0 {
		t.Errorf("not all is put back while it serves: %v", found)
	}
	_ = w.cmd.Process.Signal(syscall.SIGINT)
	w.exits(0)
}

// startOnTerminal starts plinth with a terminal as its standard error.
func (w *faultWorld) startOnTerminal(args ...string) {
	w.Helper()
	master, terminal := w.terminal()
	w.cmd, w.said, w.end = w.command(args...), newTranscript(), make(chan struct{})
	w.cmd.Stdout, w.cmd.Stderr = w.said, terminal
	if err := w.cmd.Start(); err != nil {
		w.Fatal(err)
	}
	terminal.Close()
	go func() { _, _ = io.Copy(w.said, master) }() // until the terminal is closed
	go func(cmd *exec.Cmd, end chan struct{}) {
		_ = cmd.Wait() // the test checks the exit code
		close(end)
	}(w.cmd, w.end)
	w.Cleanup(func() { _ = w.cmd.Process.Kill(); <-w.end; master.Close() })
}

// terminal returns a pair of pseudo-terminals (pty(7)).
func (w *faultWorld) terminal() (master, terminal *os.File) {
	w.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		w.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		w.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		w.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		w.Fatal(err)
	}
	return master, terminal
}
