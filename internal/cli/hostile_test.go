package cli

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"plinth/internal/page/pagetest"
	"plinth/internal/record/hostiletest"
)

// Limits of what a command may take for a record that is damaged on purpose. A good record of the
// same size takes 60 MiB and a tenth of a second.
const (
	mostMemory = 1 << 30
	mostRun    = 512 << 20 // to read one run: about 170 MiB of live memory; on a busy machine the collector comes late
	mostCPU    = 20 * time.Second
)

// TestHostileRecords runs every command that reads a record on records that are damaged in many
// ways. Each ends with an exit code of its own, without a stack trace, within limits of memory and
// CPU time, and what it prints has no control characters.
func TestHostileRecords(t *testing.T) {
	good, texts := filepath.Join(t.TempDir(), "good"), filepath.Join(t.TempDir(), "texts")
	for dir, recipe := range map[string]string{good: "mixed", texts: "hostile"} {
		if _, err := pagetest.Make(dir, recipe); err != nil {
			t.Fatal(err)
		}
	}
	cases := append(hostiletest.Cases(), hostiletest.Case{Name: "hostile texts", Shown: true})
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store")
			from := good
			if c.Damage == nil {
				from = texts
			}
			if err := os.CopyFS(store, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			dirs, err := filepath.Glob(filepath.Join(store, "*"))
			if err != nil || len(dirs) != 1 {
				t.Fatal(dirs, err)
			}
			dir := dirs[0]
			run, err := hostiletest.Run(dir)
			if err == nil && c.Damage != nil {
				err = c.Damage(dir, run)
			}
			if err != nil {
				t.Fatal(err)
			}
			path := strings.TrimPrefix(run, filepath.Join(dir, "runs")+"/")
			h := hostile{t, store, c.Shown, c.Opens}
			h.command(mostMemory, "list", "--store", store)
			h.command(mostMemory, "show", dir)
			h.command(mostRun, "show", dir, "--run", path)
			h.command(mostMemory, "compare", dir)
			h.command(mostMemory, "compare", dir, "--metric", "p99-under-10ms")
			if c.Damage == nil {
				h.command(mostMemory, "show", dir, "--format", "csv")
			}
			h.command(mostMemory, "report", dir)
			h.command(mostMemory, "predict", dir, "--device", "gp3")
			h.command(mostMemory, "run", "--resume", dir)
			h.serve(filepath.Base(dir), path)
		})
	}
}

type hostile struct {
	*testing.T
	store string
	shown bool
	opens bool
}

func (h hostile) plinth(args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0] = "plinth"
	cmd.Dir = h.store
	cmd.Env = append(os.Environ(), "PLINTH_TEST_MAIN=1", "PLINTH_TEST_PEAK="+filepath.Join(h.store, "..", "peak"), "PLINTH_STATE="+filepath.Join(h.store, "..", "state"), "COLUMNS=80")
	return cmd
}

func (h hostile) command(memory int64, args ...string) {
	h.Helper()
	cmd := h.plinth(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the exit code is checked below
	h.checkOutput(args[0], out.String())
	code := cmd.ProcessState.ExitCode()
	switch {
	case code < 0 || code > 3,
		args[0] == "show" && (h.shown || h.opens) != (code == 0),
		h.shown && code != 0 && args[0] != "run" && args[0] != "predict": // that which is measured may not allow a prediction
		h.Errorf("plinth %s: exit code %d\n%s", strings.Join(args, " "), code, cut(out.String()))
	}
	h.checkUse(strings.Join(args, " "), memory, cmd)
}

func (h hostile) checkOutput(what, out string) {
	h.Helper()
	for _, bad := range []string{"panic:", "goroutine ", "runtime error", "\x1b", "\u202e"} {
		if strings.Contains(out, bad) {
			h.Errorf("%s prints %q:\n%s", what, bad, cut(out))
		}
	}
}

func (h hostile) checkUse(what string, memory int64, cmd *exec.Cmd) {
	h.Helper()
	text, err := os.ReadFile(filepath.Join(h.store, "..", "peak"))
	if err != nil {
		h.Fatal(err)
	}
	peak, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		h.Fatal(err)
	}
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	h.Logf("%4d MiB %6.2f s  %s", peak>>20, took.Seconds(), what)
	if peak > memory || took > mostCPU {
		h.Errorf("plinth %s takes %d MiB and %v of CPU time", what, peak>>20, took)
	}
}

func cut(text string) string { return text[:min(len(text), 2000)] }

var address = regexp.MustCompile(`http://[\d.]+:(\d+)`)

// serve opens the pages of the record in plinth serve, which must go on.
func (h hostile) serve(name, run string) {
	h.Helper()
	cmd := h.plinth("serve", "--store", h.store, "--listen", "127.0.0.1:0")
	out, err := os.Create(filepath.Join(h.TempDir(), "serve.txt"))
	if err != nil {
		h.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		h.Fatal(err)
	}
	at, client := "", http.Client{Timeout: time.Minute}
	for deadline := time.Now().Add(time.Minute); at == "" && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(out.Name())
		at = string(address.Find(text))
	}
	for _, path := range []string{"/", "/api/records", "/record/" + name, "/api/record/" + name + "/run?path=" + run, "/"} {
		response, err := client.Get(at + path)
		if err != nil {
			h.Errorf("GET %s: %v", path, err)
			break
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if path == "/" && response.StatusCode != http.StatusOK || err != nil {
			h.Errorf("GET %s: %s, %v", path, response.Status, err)
		}
		h.Log("GET " + path + " " + strconv.Itoa(response.StatusCode))
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	text, _ := os.ReadFile(out.Name())
	h.checkOutput("serve", string(text))
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		h.Errorf("plinth serve: exit code %d\n%s", code, text)
	}
	h.checkUse("serve", mostMemory, cmd)
}

// writePeak writes the peak of this process's resident memory to a file, in bytes. The getrusage of
// its parent would include the parent's own memory at the time of the fork.
func writePeak(path string) {
	if path == "" {
		return
	}
	status, _ := os.ReadFile("/proc/self/status")
	if m := peakLine.FindSubmatch(status); m != nil {
		kib, _ := strconv.ParseInt(string(m[1]), 10, 64)
		_ = os.WriteFile(path, []byte(strconv.FormatInt(kib<<10, 10)), 0o644)
	}
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)
