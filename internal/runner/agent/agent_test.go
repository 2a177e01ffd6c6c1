package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/engine"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// fake is a site that records the order of its calls.
type fake struct {
	site.Site
	drive   func(context.Context, driver.Job) (*driver.Outcome, error)
	putUp   func(context.Context) error
	closing func()

	mu    sync.Mutex
	order []string
}

func (f *fake) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.order = append(f.order, what)
}

func (f *fake) Open(context.Context, site.Opening) (site.Opened, error) { return site.Opened{}, nil }

func (f *fake) Close(context.Context) error {
	f.note("close")
	if f.closing != nil {
		f.closing()
	}
	return nil
}

func (f *fake) PutUp(ctx context.Context, _ string, _ func(site.Step)) (record.Environment, error) {
	f.note("put up")
	return record.Environment{}, f.putUp(ctx)
}

func (f *fake) Drive(ctx context.Context, job driver.Job) (*driver.Outcome, error) {
	return f.drive(ctx, job)
}

func (f *fake) End(context.Context, site.Ending) (site.Account, error) {
	f.note("end")
	return site.Account{}, nil
}

// connect returns a client of the site.
func connect(t *testing.T, f site.Site) *Client {
	t.Helper()
	t.Setenv("PLINTH_STATE", t.TempDir())
	here, there := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(context.Background(), f, there, Options{Version: "test"}) }()
	c, err := Connect(t.Context(), here, Options{Name: "ssh://db1", Clean: "plinth clean --on ssh://db1", Version: "test"}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Disconnect()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestClock checks that an agent whose clock is ahead shows all times by its own clock, and that the
// comparison finds out.
func TestClock(t *testing.T) {
	t.Setenv("PLINTH_STATE", t.TempDir())
	const ahead = 90 * time.Second
	window := time.Now().Add(time.Minute).Round(time.Microsecond)
	f := &fake{drive: func(_ context.Context, job driver.Job) (*driver.Outcome, error) {
		if !job.Window.Equal(window) {
			return nil, fmt.Errorf("the window begins at %s, not at %s", job.Window, window)
		}
		job.Begun(window)
		return &driver.Outcome{Begin: window, End: window.Add(time.Second)}, nil
	}}
	here, there := net.Pipe()
	go func() {
		_ = Serve(context.Background(), f, there, Options{Version: "test", Ahead: func() time.Duration { return ahead }})
	}()
	c, err := Connect(t.Context(), here, Options{Version: "test"}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Disconnect() })
	by, within, err := c.Clock(t.Context(), 8)
	if err != nil || within <= 0 || (by-ahead).Abs() > within {
		t.Errorf("the clock is %s ahead within %s, want %s; %v", by, within, ahead, err)
	}
	var begun time.Time
	o, err := c.Drive(t.Context(), driver.Job{Window: window.Add(ahead), Keep: drivertest.In(t, t.TempDir()), Begun: func(w time.Time) { begun = w }})
	if err != nil {
		t.Fatal(err)
	}
	if want := window.Add(ahead); !begun.Equal(want) || !o.Begin.Equal(want) || !o.End.Equal(want.Add(time.Second)) {
		t.Errorf("the window began at %s, and lasted from %s to %s; want %s", begun, o.Begin, o.End, want)
	}
}

// TestFiles checks that the files of a run arrive whole, under their own names.
func TestFiles(t *testing.T) {
	long := strings.Repeat("select 1;\n", 3*chunkSize/10)
	c := connect(t, &fake{drive: func(_ context.Context, job driver.Job) (*driver.Outcome, error) {
		_, err := job.Keep.WriteRaw("script-1.sql", long)
		raw, failed := job.Keep.CreateRaw("pgbench.txt")
		if err = errors.Join(err, failed); err == nil {
			_, err = raw.WriteString("tps")
		}
		log, failed := job.Keep.CreateHistogramLog()
		return &driver.Outcome{}, errors.Join(err, failed, raw.Close(), log.Close())
	}})
	kept := drivertest.In(t, t.TempDir())
	if _, err := c.Drive(t.Context(), driver.Job{Keep: kept}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"script-1.sql": long, "pgbench.txt": "tps"} {
		if text, err := os.ReadFile(filepath.Join(kept.Raw, name)); err != nil || string(text) != want {
			t.Errorf("%s has %d bytes, %v", name, len(text), err)
		}
	}
}

// TestHostileFiles checks that an agent cannot write elsewhere.
func TestHostileFiles(t *testing.T) {
	for _, name := range []string{"../evil", "/evil", "a/b", "..", "."} {
		r := receiver{keep: drivertest.In(t, t.TempDir()), most: 10}
		r.receive(chunk{Name: name, Data: []byte("x")})
		if err := r.close(); err == nil || !strings.Contains(err.Error(), "the agent sent a file with the name") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTooLargeFiles checks that an agent cannot fill the disk.
func TestTooLargeFiles(t *testing.T) {
	kept := drivertest.In(t, t.TempDir())
	r := receiver{keep: kept, most: 10}
	for range 3 {
		r.receive(chunk{Name: "pgbench.txt", Data: []byte("four")})
	}
	if err := r.close(); err == nil || !strings.Contains(err.Error(), "larger files") {
		t.Errorf("error is %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(kept.Raw, "pgbench.txt")); err != nil || len(text) != 8 {
		t.Errorf("%d bytes were kept, %v", len(text), err)
	}
}

// TestCancelledLoad checks that a run ends only once its load has ended there, too.
func TestCancelledLoad(t *testing.T) {
	driving, ending := make(chan struct{}), make(chan struct{})
	f := &fake{}
	f.drive = func(ctx context.Context, _ driver.Job) (*driver.Outcome, error) {
		close(driving)
		<-ctx.Done()
		<-ending // the load generator takes a while to end
		f.note("driven")
		return nil, ctx.Err()
	}
	c := connect(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-driving; cancel() }()
	if _, err := c.Drive(ctx, driver.Job{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	go close(ending)
	if _, err := c.End(t.Context(), site.Ending{Failed: true}); err != nil {
		t.Error(err)
	}
	if want := []string{"driven", "end"}; !slices.Equal(f.order, want) {
		t.Errorf("the order is %v, want %v", f.order, want)
	}
}

// TestCallAfterClose checks that nothing is put up once everything was undone.
func TestCallAfterClose(t *testing.T) {
	f := &fake{putUp: func(context.Context) error { return nil }}
	c := connect(t, f)
	if _, err := c.Open(t.Context(), site.Opening{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutUp(t.Context(), "one", nil); err == nil || err.Error() != errClosed.Error() {
		t.Errorf("error %v", err)
	}
	if want := []string{"close"}; !slices.Equal(f.order, want) {
		t.Errorf("the order is %v", f.order)
	}
}

// TestKinds checks that errors keep their kind, text and hint on the way.
func TestKinds(t *testing.T) {
	cause := hint.Errorf("do that", "it stays")
	for _, want := range []error{&site.PutBackError{Err: cause}, &site.InputError{Err: cause}, &engine.MistakeError{Err: cause}, cause} {
		c := connect(t, &fake{putUp: func(context.Context) error { return want }})
		_, err := c.PutUp(t.Context(), "one", nil)
		if err == nil || err.Error() != want.Error() || hint.Of(err) != "do that" {
			t.Errorf("%v arrived as %v with the hint %q", want, err, hint.Of(err))
		}
		for name, is := range map[string]func(error) bool{
			"put-back": func(err error) bool { return errors.As(err, new(*site.PutBackError)) },
			"input":    func(err error) bool { return errors.As(err, new(*site.InputError)) },
			"mistake":  func(err error) bool { return errors.As(err, new(*engine.MistakeError)) },
		} {
			if is(err) != is(want) {
				t.Errorf("%T: is it a %s error? %v", want, name, is(err))
			}
		}
	}
}

// TestLost checks that a lost connection names the machine and says what happens there.
func TestLost(t *testing.T) {
	f := &fake{}
	c := connect(t, f)
	_ = c.Disconnect()
	_, err := c.End(t.Context(), site.Ending{})
	if err == nil || !strings.HasPrefix(err.Error(), "the connection to ssh://db1 was lost: ") || !strings.Contains(hint.Of(err), "plinth clean --on ssh://db1") {
		t.Errorf("%v, %q", err, hint.Of(err))
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("the agent undoes everything, but Close returns %v", err)
	}
}

// TestCommandFiles checks that what a command writes to its directory is written here, and replaces
// nothing.
func TestCommandFiles(t *testing.T) {
	there, model := t.TempDir(), strings.Repeat("name: nvme\n", chunkSize/5)
	if err := errors.Join(os.WriteFile(filepath.Join(there, "nvme.device.yaml"), []byte(model), 0o600), os.Mkdir(filepath.Join(there, "sysctl.d"), 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var said strings.Builder
	for range 2 {
		files := receiver{keep: here{&said}, most: mostOfCommand}
		err := sendFiles(there, func(p printed) { files.receive(*p.File) })
		if err = errors.Join(err, files.close()); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"nvme.device.yaml", "nvme-2.device.yaml"} {
		if text, err := os.ReadFile(name); err != nil || string(text) != model {
			t.Errorf("%s has %d bytes, %v", name, len(text), err)
		}
	}
	if want := "nvme.device.yaml already exists: wrote nvme-2.device.yaml instead\n"; said.String() != want {
		t.Errorf("it says %q, want %q", said.String(), want)
	}
}
