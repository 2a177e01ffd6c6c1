package limit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/instance"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// checkCredits returns an error if the credits make no sense on this machine.
func (m machine) checkCredits(l experiment.Limits) error {
	if !l.CPUCredits.There() {
		return nil
	}
	account, err := l.CPUCredits.Account()
	if err != nil {
		return err
	}
	have := len(allOf(m.cores))
	if account.Credits.VCPUs > have {
		return hint.Errorf("use a smaller size of the family", "cpu_credits: %s has %s, but plinth is limited to %s",
			l.CPUCredits.Instance, unit.Count(account.Credits.VCPUs, "vCPU"), unit.Count(have, "CPU"))
	}
	if controller := m.accounting(l); controller != nil {
		return m.checkController(controller[0])
	}
	return nil
}

// accounting returns the controller that counts a group's CPU time, where it is not that of the quota.
func (m machine) accounting(l experiment.Limits) []string {
	if l.CPUCredits.There() && m.places[cpuController].version == 1 {
		return []string{accountController}
	}
	return nil
}

// Meter charges a group's CPU time to a credit account while a load runs, and gives the group the
// CPUs that the account allows: all vCPUs of the instance while there are credits, then its baseline.
type Meter struct {
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	account instance.Account
	first   float64 // balance at the beginning
	allowed float64 // CPUs
	used    time.Duration
	began   time.Time
	ended   time.Time     // when the balance was spent; zero if that did not happen
	until   time.Duration // CPU time used until then
	err     error
}

// control reads and limits the CPU time of a group.
type control struct {
	used  func() (time.Duration, error)
	allow func(cpus float64) error
}

// StartMeter begins to charge the group's CPU time to a new account, with the balance that the limits
// give. It returns nil for a group without credits.
func (g *Group) StartMeter() (*Meter, error) {
	if g == nil || !g.credits.There() {
		return nil, nil
	}
	account, err := g.credits.Account()
	if err != nil {
		return nil, err
	}
	return startMeter(account, control{g.cpuTime, g.allow})
}

func startMeter(account instance.Account, c control) (*Meter, error) {
	base, err := c.used()
	if err != nil {
		return nil, fmt.Errorf("cannot read the CPU time of the server: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	m := &Meter{stop: stop, done: make(chan struct{}), account: account, first: account.Balance(),
		allowed: float64(account.Credits.VCPUs), began: time.Now()}
	go m.run(ctx, c, base)
	return m, nil
}

// run takes a reading in each period of the quota.
func (m *Meter) run(ctx context.Context, c control, base time.Duration) {
	defer close(m.done)
	ticker := time.NewTicker(period * time.Microsecond)
	defer ticker.Stop()
	last := m.began
	for {
		select {
		case <-ctx.Done():
			m.fail(c.allow(float64(m.account.Credits.VCPUs)))
			return
		case <-ticker.C:
		}
		used, err := c.used()
		now := time.Now()
		if err != nil {
			m.fail(fmt.Errorf("cannot read the CPU time of the server: %w", err))
			continue
		}
		if cpus, changed := m.charge(now, now.Sub(last), used-base); changed {
			m.fail(c.allow(cpus))
		}
		last = now
	}
}

// charge spends the CPU time used since the last reading; used is that since the beginning. It returns
// the CPUs that the group may use in the next period, and whether they changed.
func (m *Meter) charge(now time.Time, elapsed, used time.Duration) (cpus float64, changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if elapsed <= 0 {
		return m.allowed, false
	}
	m.account, _ = m.account.After(elapsed, (used-m.used).Seconds()/elapsed.Seconds())
	m.used = used
	all := float64(m.account.Credits.VCPUs)
	cpus = all
	if m.account.Mode == instance.Standard {
		const perPeriod = float64(time.Minute/time.Microsecond) / period
		extra := m.account.Balance() * perPeriod // CPUs, for one period
		cpus = min(all, m.account.Left()+extra)
		const little = 0.05
		if extra < little*m.account.Left() && m.ended.IsZero() {
			m.ended, m.until = now, used
		}
	}
	const steady = 0.01 // a smaller change is not worth a write: each gives the group a fresh period
	if changed = cpus != m.allowed && (cpus == all || cpus == m.account.Left() || math.Abs(cpus-m.allowed) > steady*m.allowed); changed {
		m.allowed = cpus
	}
	return m.allowed, changed
}

// fail keeps the first error.
func (m *Meter) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
	}
}

// MeterReading is the state of a Meter.
type MeterReading struct {
	Balance float64 // credits
	CPUs    float64 // that the group may use now
	Surplus float64 // credits spent in advance
}

// Read returns the present state.
func (m *Meter) Read() MeterReading {
	m.mu.Lock()
	defer m.mu.Unlock()
	return MeterReading{m.account.Balance(), m.allowed, m.account.Surplus + m.account.Charged}
}

// Stop ends the charging, gives the group all vCPUs again, and reports what a load spent whose
// measured window began at a time. It may be called again.
func (m *Meter) Stop(window time.Time) (record.CreditsSpent, error) {
	m.stop()
	<-m.done
	s := record.CreditsSpent{Start: m.first, End: m.account.Balance(), Used: m.used.Seconds(), Surplus: m.account.Surplus + m.account.Charged}
	if !m.ended.IsZero() {
		ended := m.ended.Sub(window).Seconds()
		s.Ended = &ended
		before := m.ended.Sub(m.began)
		if net := m.until.Seconds()/before.Seconds() - m.account.Credits.Sustained(); net > 0 {
			expected := m.began.Sub(window).Seconds() + m.first*60/net
			s.Expected = &expected
		}
	}
	return s, m.err
}

// allow sets the quota of the group.
func (g *Group) allow(cpus float64) error {
	quota := strconv.Itoa(max(int(cpus*period+0.5), period/100))
	for _, dir := range g.directories {
		err := writeWord(dir, "cpu.max", quota+" "+strconv.Itoa(period))
		if err != nil {
			err = writeWord(dir, "cpu.cfs_quota_us", quota)
		}
		if err == nil {
			return nil
		}
	}
	return errors.New("cannot set the CPU quota of the server: its control group has no cpu.max and no cpu.cfs_quota_us")
}

// cpuTime returns the CPU time that the group has used: usage_usec of cpu.stat in version 2,
// cpuacct.usage in nanoseconds in version 1 (Documentation/admin-guide/cgroup-v1/cpuacct.rst).
func (g *Group) cpuTime() (time.Duration, error) {
	for _, dir := range g.directories {
		if text, err := readWord(dir, "cpuacct.usage"); err == nil {
			ns, err := strconv.ParseInt(text, 10, 64)
			return time.Duration(ns), err
		}
		text, _ := readWord(dir, "cpu.stat")
		for line := range strings.Lines(text) {
			if value, found := strings.CutPrefix(line, "usage_usec "); found {
				us, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
				return time.Duration(us) * time.Microsecond, err
			}
		}
	}
	return 0, fmt.Errorf("no control group of %s counts CPU time", filepath.Base(strings.Join(g.directories, ", ")))
}
