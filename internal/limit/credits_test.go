package limit

import (
	"errors"
	"math"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/instance"
)

// metered returns a meter of an account, in model time.
func metered(t *testing.T, c experiment.CPUCredits) (*Meter, time.Time) {
	t.Helper()
	account, err := c.Account()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	return &Meter{account: account, first: account.Balance(), allowed: float64(account.Credits.VCPUs), began: began,
		stop: func() {}, done: closed()}, began
}

func closed() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// load uses up to want CPUs of those allowed for a time, in steps of one period.
func load(m *Meter, now time.Time, used time.Duration, want float64, lasts time.Duration) (time.Time, time.Duration) {
	const step = period * time.Microsecond
	for range lasts / step {
		used += time.Duration(min(want, m.Read().CPUs) * float64(step))
		now = now.Add(step)
		if cpus, changed := m.charge(now, step, used); changed {
			m.allow(cpus)
		}
	}
	return now, used
}

// Half a credit of a t3.large is 30 CPU seconds. At 2 vCPUs it shrinks by 1.4 a second.
func TestMeterSlowsDown(t *testing.T) {
	m, began := metered(t, experiment.CPUCredits{Instance: "t3.large", Balance: 0.5})
	now, used := load(m, began, 0, 2, time.Minute)
	window := began.Add(5 * time.Second)
	spent, err := m.Stop(window)
	if err != nil || spent.Ended == nil || spent.Expected == nil {
		t.Fatalf("%+v, %v", spent, err)
	}
	want := 30/1.4 - 5
	if math.Abs(*spent.Ended-want) > 0.2 || math.Abs(*spent.Expected-want) > 0.2 {
		t.Errorf("ended at %g, expected %g; want %g", *spent.Ended, *spent.Expected, want)
	}
	if got := m.Read(); got.Balance > 0.01 || math.Abs(got.CPUs-0.6) > 0.01 {
		t.Errorf("then %+v", got)
	}
	if wantUsed := 2*30/1.4 + 0.6*(60-30/1.4); math.Abs(spent.Used-wantUsed) > 0.5 {
		t.Errorf("used %g CPU seconds, want %g", spent.Used, wantUsed)
	}
	// Below the baseline credits accrue, and allow a burst again.
	now, used = load(m, now, used, 0.1, time.Minute)
	if got := m.Read(); math.Abs(got.Balance-0.5) > 0.02 || got.CPUs != 2 {
		t.Errorf("after a quiet minute %+v", got)
	}
	load(m, now, used, 2, time.Minute)
	if again, _ := m.Stop(window); *again.Ended != *spent.Ended {
		t.Errorf("the second end replaces the first: %g, %g", *again.Ended, *spent.Ended)
	}
}

func TestMeterInUnlimitedMode(t *testing.T) {
	m, began := metered(t, experiment.CPUCredits{Instance: "t3.large", Mode: "unlimited", Balance: 0.5})
	load(m, began, 0, 2, time.Minute)
	spent, _ := m.Stop(began)
	if spent.Ended != nil || m.Read().CPUs != 2 || math.Abs(spent.Surplus-(1.4-0.5)) > 0.01 {
		t.Errorf("%+v, %+v", spent, m.Read())
	}
}

func TestMeterBelowBaseline(t *testing.T) {
	m, began := metered(t, experiment.CPUCredits{Instance: "t3.large", Balance: 1})
	load(m, began, 0, 0.5, time.Minute)
	if spent, _ := m.Stop(began); spent.Ended != nil || spent.End <= spent.Start {
		t.Errorf("%+v", spent)
	}
}

// A meter that cannot read the CPU time says so, and gives the group its CPUs back.
func TestMeterReportsErrors(t *testing.T) {
	account, err := experiment.CPUCredits{Instance: "t3.large"}.Account()
	if err != nil {
		t.Fatal(err)
	}
	reads, allowed := 0, 0.0
	gone, second := errors.New("gone"), make(chan struct{})
	m, err := startMeter(account, control{
		used: func() (time.Duration, error) {
			switch reads++; reads {
			case 1:
				return 0, nil
			case 2:
				close(second)
			}
			return 0, gone
		},
		allow: func(cpus float64) error { allowed = cpus; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	<-second
	if _, err := m.Stop(time.Now()); !errors.Is(err, gone) || allowed != 2 {
		t.Errorf("%v, %g CPUs", err, allowed)
	}
	if _, err := startMeter(account, control{used: func() (time.Duration, error) { return 0, gone }}); !errors.Is(err, gone) {
		t.Errorf("started with %v", err)
	}
}

// A quota that could not be set is set in the next period, and a reading that failed is made up for by the
// next one: the account is that of the whole load.
func TestMeterTriesAgain(t *testing.T) {
	account, err := experiment.CPUCredits{Instance: "t3.large", Balance: 0.001}.Account()
	if err != nil {
		t.Fatal(err)
	}
	reads, writes, done := 0, 0, make(chan struct{})
	m, err := startMeter(account, control{
		used: func() (time.Duration, error) {
			if reads++; reads == 3 {
				return 0, errors.New("for a moment")
			}
			return time.Duration(reads-1) * time.Second, nil // far more than the balance
		},
		allow: func(float64) error {
			switch writes++; writes {
			case 2:
				return errors.New("for a moment")
			case 3:
				close(done)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	<-done
	if spent, err := m.Stop(time.Now()); err != nil || spent.End != 0 || m.Read().CPUs >= 2 {
		t.Errorf("%+v, %v, %g CPUs", spent, err, m.Read().CPUs)
	}
}

func TestCreditsThatMakeNoSense(t *testing.T) {
	for name, c := range map[string]experiment.CPUCredits{
		"no credits":      {Instance: "m6i.large"},
		"unknown":         {Instance: "t9.large"},
		"too many":        {Instance: "t3.large", Balance: 1000},
		"mode of a cache": {Instance: "cache.t3.medium", Mode: "unlimited"},
	} {
		if _, err := c.Account(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if a, err := (experiment.CPUCredits{Instance: "db.t3.large"}).Account(); err != nil || a.Mode != instance.Unlimited {
		t.Errorf("a managed database: %+v, %v", a, err)
	}
}
