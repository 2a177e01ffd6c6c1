package instance

import (
	"math"
	"time"
)

// Account is the credit account of a running instance: a token bucket whose tokens are vCPU-minutes.
// It is a value in model time, without a clock.
//
// It follows "Standard mode concepts" and "Unlimited mode concepts for burstable instances" (AWS, as
// of November 2026) with one exception: when the credits run out, AWS lowers the CPU share
// gradually, and the model at once.
type Account struct {
	Credits Credits
	Mode    Mode
	// Launch and Earned are the credits that the instance has. Launch credits are spent first.
	Launch, Earned float64
	// Surplus is the number of credits spent in advance, in unlimited mode only. Earned credits pay
	// them back. It is at most Credits.Most; further ones are charged.
	Surplus float64
	// Charged is the number of credits that cost extra so far.
	Charged float64
}

// Start returns the account of an instance that was just launched: T2 in standard mode has its
// launch credits, every other one has none.
func (c Credits) Start(mode Mode) Account {
	a := Account{Credits: c, Mode: mode}
	if mode == Standard {
		a.Launch = c.Launch
	}
	return a
}

// With returns an account with a balance of earned credits, of at most c.Most and at least 0.
func (c Credits) With(mode Mode, balance float64) Account {
	return Account{Credits: c, Mode: mode, Earned: min(max(balance, 0), c.Most)}
}

// Sustained returns the number of vCPUs whose use spends as many credits as are earned.
func (c Credits) Sustained() float64 { return c.PerHour / 60 }

// Balance returns the credits that the instance can spend without debt or charge.
func (a Account) Balance() float64 { return a.Launch + a.Earned }

// Left returns the number of vCPUs that the instance has when the balance is spent: the baseline in
// standard mode, all in unlimited mode.
func (a Account) Left() float64 {
	if a.Mode == Unlimited {
		return float64(a.Credits.VCPUs)
	}
	return a.Credits.Sustained()
}

// Lasts returns how long the balance lasts at a constant load, in vCPUs. It returns false if the
// balance lasts forever, because the load does not exceed the baseline, or for centuries.
func (a Account) Lasts(load float64) (time.Duration, bool) {
	load = a.clip(load)
	if load <= a.Credits.Sustained() {
		return 0, false
	}
	first := a.Launch / load // minutes
	earned := min(a.Earned+a.Credits.Sustained()*first, a.Credits.Most)
	minutes := first + earned/(load-a.Credits.Sustained())
	if minutes >= time.Duration(math.MaxInt64).Minutes() {
		return 0, false
	}
	return time.Duration(minutes * float64(time.Minute)), true
}

// After returns the account after the instance had a constant load for a time, and the vCPU-minutes
// that it could use. The load, in vCPUs, is clipped to the range from 0 to all vCPUs.
func (a Account) After(d time.Duration, load float64) (after Account, used float64) {
	load = a.clip(load)
	minutes := max(d.Minutes(), 0)
	first := minutes
	if load > 0 {
		first = min(minutes, a.Launch/load)
	}
	if a.Launch > 0 { // while they are spent, earned credits accrue
		a.earn(a.Credits.Sustained() * first)
		a.Launch = max(a.Launch-load*first, 0)
		minutes -= first
		used = load * first
	}
	net := a.Credits.Sustained() - load // credits a minute
	if net >= 0 {
		a.earn(net * minutes)
		return a, used + load*minutes
	}
	return a.spend(minutes, load, used)
}

// earn adds credits: they pay back the surplus, and then accrue up to the largest balance.
func (a *Account) earn(credits float64) {
	back := min(credits, a.Surplus)
	a.Surplus -= back
	a.Earned = min(a.Earned+credits-back, a.Credits.Most)
}

// spend carries out a load above the baseline for some minutes.
func (a Account) spend(minutes, load, used float64) (Account, float64) {
	missing := (load - a.Credits.Sustained()) * minutes // credits, beyond those earned meanwhile
	spent := min(missing, a.Earned)
	a.Earned -= spent
	missing -= spent
	if a.Mode == Standard {
		return a, used + load*minutes - missing
	}
	surplus := min(missing, a.Credits.Most-a.Surplus)
	a.Surplus += surplus
	a.Charged += missing - surplus
	return a, used + load*minutes
}

// clip limits a load to what the instance can do; a load that is not a number is none.
func (a Account) clip(load float64) float64 {
	if math.IsNaN(load) {
		return 0
	}
	return min(max(load, 0), float64(a.Credits.VCPUs))
}
