package serve

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/page"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// patience is how long tests wait for what must come: it only ends a hang.
const patience = time.Minute

var created = time.Date(2026, 11, 21, 3, 15, 0, 0, time.UTC)

// TestMain has stores in memory: a busy disk takes seconds for what is synced there.
func TestMain(m *testing.M) {
	hosttest.TempInMemory()
	os.Exit(m.Run())
}

const twoDisks = `
name: two-disks
question: Is the second disk faster?
dataset: {scale: 1}
workloads: [tpcb-like]
clients: 2
duration: 1s
repeats: 20
environments: {disk: {}, memory: {}}
`

// plainPages are pages that are told from each other, and cost nothing to make.
type plainPages struct{ made *int }

func (p plainPages) report(rec *record.Record) ([]byte, error) {
	if p.made != nil {
		*p.made++
	}
	return fmt.Appendf(nil, "page of %s: %d runs, %s", filepath.Base(rec.Path), len(rec.Runs), rec.Summary.State), nil
}

func (p plainPages) part(rec *record.Record) ([]byte, error) {
	return fmt.Appendf(nil, "part of %s", filepath.Base(rec.Path)), nil
}

func (plainPages) detail(_ *record.Record, run *record.Run) page.Detail {
	return page.Detail{Path: run.Path()}
}

func (plainPages) comparison(a, b *record.Record, _ parity) ([]byte, error) {
	if a.Summary.Name != b.Summary.Name {
		return nil, hint.Errorf("choose two of one experiment", "cannot compare")
	}
	return fmt.Appendf(nil, "%s and %s", filepath.Base(a.Path), filepath.Base(b.Path)), nil
}

// started is a server over a store, stopped when the test ends.
func started(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.pages == nil {
		o.pages = plainPages{}
	}
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// writer makes a record that runs.
func writer(t testing.TB, store, name string) *record.Writer {
	t.Helper()
	e, _, err := decode.Parse("experiment.yaml", []byte(twoDisks), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := record.Create(store, name, created, &record.Summary{
		Name: "two-disks", Question: e.Question, Engine: "postgres", Plinth: "0.1.0", Baseline: "disk", Planned: 40,
		Plan: verdict.PlanOf(e),
	}, encode.YAML(e))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() }) // some tests have closed it before
	return w
}

// begin starts a run of one environment in one repeat.
func begin(t testing.TB, w *record.Writer, environment string, repeat int) *record.Pending {
	t.Helper()
	pending, err := w.Begin(runID(environment, repeat))
	if err != nil {
		t.Fatal(err)
	}
	return pending
}

func runID(environment string, repeat int) record.RunID {
	return record.RunID{
		Environment: environment, Repeat: repeat, Attempt: 1,
		Cell: experiment.Cell{Workload: "tpcb-like", Clients: 2, Threads: 1},
	}
}

func commit(t testing.TB, p *record.Pending, id record.RunID, number int) {
	t.Helper()
	err := p.Commit(&record.Run{
		RunID: id, Number: number, Position: 1, Status: record.Valid, Started: created,
		Driver: record.Driver{Program: "pgbench", Version: "15.18"},
		Result: record.Result{Loop: "closed", Duration: 1, Transactions: 100, TPS: 100, Latency: record.Latency{Mean: 1e6}},
	}, record.Points{})
	if err != nil {
		t.Fatal(err)
	}
}

// finished is the name of a record with one run, that is complete.
func finished(t testing.TB, store, name string) string {
	t.Helper()
	w := writer(t, store, name)
	commit(t, begin(t, w, "disk", 1), runID("disk", 1), 1)
	end(t, w)
	return filepath.Base(w.Path())
}

// end completes a record.
func end(t testing.TB, w *record.Writer) {
	t.Helper()
	rec, err := record.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	rec.Summary.State, rec.Summary.Counts = record.Complete, record.Count(rec.Runs)
	if err := w.Save(&rec.Summary); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// answer is what a server said.
type answer struct {
	*http.Response
	body string
}

// ask sends a request to s. Changes may do anything to it before.
func ask(t testing.TB, s *Server, path string, changes ...func(*http.Request)) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.listener.Addr().String()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(r)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response, string(body)}
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
