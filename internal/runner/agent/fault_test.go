package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"plinth/internal/record"
)

// witnessing is a site that counts writes.
type witnessing struct {
	fake
	environment string
	fault       time.Time
}

func (w *witnessing) Write(_ context.Context, environment string) error {
	w.environment = environment
	return nil
}

func (w *witnessing) Resumed(_ context.Context, fault time.Time) error {
	w.fault = fault
	return nil
}

func (w *witnessing) Count(_ context.Context, broke string) (record.Injection, error) {
	return record.Injection{Acknowledged: 7, Broke: broke}, nil
}

func (w *witnessing) Inject(context.Context, string, time.Duration) (record.Injection, error) {
	return record.Injection{Acknowledged: 9}, errors.New("the copy failed")
}

// TestFaults checks the calls for a fault that is injected from elsewhere.
func TestFaults(t *testing.T) {
	w := &witnessing{}
	c := connect(t, w)
	at := time.Now()
	if err := c.Write(t.Context(), "one"); err != nil || w.environment != "one" {
		t.Errorf("%q, %v", w.environment, err)
	}
	if err := c.Resumed(t.Context(), at); err != nil || !w.fault.Equal(at) {
		t.Errorf("%s, %v", w.fault, err)
	}
	if seen, err := c.Count(t.Context(), "it burns"); err != nil || seen.Acknowledged != 7 || seen.Broke != "it burns" {
		t.Errorf("%+v, %v", seen, err)
	}
	if seen, err := c.Inject(t.Context(), "one", time.Second); err == nil || err.Error() != "the copy failed" || seen.Acknowledged != 9 {
		t.Errorf("%+v, %v", seen, err)
	}
	if err := c.KillPod(t.Context(), "no such pod", []string{"postgres"}); err == nil || !strings.Contains(err.Error(), "cannot kill postgres of the pod: ") {
		t.Errorf("error %v", err)
	}
	if err := connect(t, &fake{}).Write(t.Context(), "one"); err == nil || err.Error() != errNoWitness.Error() {
		t.Errorf("error %v", err)
	}
}
