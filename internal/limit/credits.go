package limit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
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
	if err := c.allow(float64(account.Credits.VCPUs)); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	m := &Meter{stop: stop, done: make(chan struct{}), account: account, first: account.Balance(),
		allowed: float64(account.Credits.VCPUs), began: time.Now()}
	go m.run(ctx, c, base)
	return m, nil
}

// run takes a reading in each period of the quota. A reading or a quota that fails is tried again in
// the next period, which loses nothing; if the last ones failed, the account is not that of the load.
func (m *Meter) run(ctx context.Context, c control, base time.Duration) {
	defer close(m.done)
	ticker := time.NewTicker(period * time.Microsecond)
	defer ticker.Stop()
	last := m.began
	for {
		select {
		case <-ctx.Done():
			_ = c.allow(float64(m.account.Credits.VCPUs)) // between loads only; the next one begins with a write
			return
		case <-ticker.C:
		}
		used, err := c.used()
		if m.err = err; err != nil {
			m.err = fmt.Errorf("cannot read the CPU time of the server: %w", err)
			continue
		}
		now := time.Now()
		if cpus, changed := m.charge(now, now.Sub(last), used-base); changed {
			if m.err = c.allow(cpus); m.err == nil {
				m.allow(cpus)
			}
		}
		last = now
	}
}

// allow notes a quota that is in force.
func (m *Meter) allow(cpus float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.allowed = cpus
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
	changed = cpus != m.allowed && (cpus == all || cpus == m.account.Left() || math.Abs(cpus-m.allowed) > steady*m.allowed)
	return cpus, changed
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

// allow sets the quota of the group: cpu.max in version 2, cpu.cfs_quota_us in version 1.
func (g *Group) allow(cpus float64) error {
	quota := strconv.Itoa(max(int(cpus*period+0.5), period/100))
	for _, dir := range g.directories {
		for _, s := range []setting{{file: "cpu.max", value: quota + " " + strconv.Itoa(period)}, {file: "cpu.cfs_quota_us", value: quota}} {
			err := writeWord(dir, s.file, s.value)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return fmt.Errorf("cannot set %s to %s: %w", s.file, s.value, err)
			}
			return nil
		}
	}
	return errors.New("cannot set the CPU quota of the server: its control groups have none")
}

// cpuTime returns the CPU time that the group has used: cpuacct.usage in nanoseconds in version 1
// (Documentation/admin-guide/cgroup-v1/cpuacct.rst), usage_usec of cpu.stat in version 2.
func (g *Group) cpuTime() (time.Duration, error) {
	for _, dir := range g.directories {
		text, err := readWord(dir, "cpuacct.usage")
		if err == nil {
			ns, err := strconv.ParseInt(text, 10, 64)
			return time.Duration(ns), err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	for _, dir := range g.directories {
		text, err := readWord(dir, "cpu.stat")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		for line := range strings.Lines(text) {
			if value, found := strings.CutPrefix(line, "usage_usec "); found {
				us, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
				return time.Duration(us) * time.Microsecond, err
			}
		}
	}
	return 0, errors.New("its control groups do not count CPU time")
}
