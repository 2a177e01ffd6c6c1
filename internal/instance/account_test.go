package instance

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func credits(t *testing.T, name string) Credits {
	t.Helper()
	i, err := Find(name)
	if err != nil || i.Credits == nil {
		t.Fatalf("%+v, %v", i, err)
	}
	return *i.Credits
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a), math.Abs(b)) }

func TestLasts(t *testing.T) {
	for _, c := range []struct {
		account Account
		load    float64
		minutes float64 // 0: forever
	}{
		{credits(t, "t3.large").With(Standard, 864), 2, 864 / 1.4},
		{credits(t, "t3.large").With(Unlimited, 864), 2, 864 / 1.4},
		{credits(t, "t3.large").With(Standard, 864), 99, 864 / 1.4}, // no more than all vCPUs
		{credits(t, "t3.large").With(Standard, 864), 0.6, 0},
		{credits(t, "t3.large").With(Standard, 864), 0.6000000000001, 0}, // for centuries
		{credits(t, "t3.large").With(Standard, 1e9), 1, 864 / 0.4},       // no more than a full balance
		{credits(t, "t3.large").Start(Unlimited), 2, 1e-9},               // no credits at the start
		// The launch credits last 30 minutes, in which 3 credits are earned; these last 3 / 0.9 minutes.
		{credits(t, "t2.micro").Start(Standard), 1, 30 + 3/0.9},
		{credits(t, "t2.micro").Start(Unlimited), 1, 1e-9},
		{credits(t, "t2.micro").Start(Standard), math.NaN(), 0},
	} {
		got, ends := c.account.Lasts(c.load)
		if ends != (c.minutes > 0) || math.Abs(got.Minutes()-c.minutes) > 1e-6 {
			t.Errorf("%+v at %g vCPUs: %s, %t; want %g minutes", c.account, c.load, got, ends, c.minutes)
		}
	}
}

// TestExamples repeats examples of "Standard mode examples" and "Standard mode concepts for
// burstable instances" (AWS).
func TestExamples(t *testing.T) {
	const day = 24 * time.Hour
	// An idle t3.nano reaches its largest balance of 144 credits after 24 hours. At 2.5 % of each
	// vCPU, half of the baseline, nothing is spent of it.
	nano, _ := credits(t, "t3.nano").Start(Standard).After(day, 0)
	if nano.Balance() != 144 {
		t.Errorf("%+v", nano)
	}
	if nano, _ = nano.After(day/2, 2*0.025); nano.Balance() != 144 {
		t.Errorf("%+v", nano)
	}
	// An idle t2.micro has 174 credits after 24 hours: launch credits do not count towards the limit
	// of 144. After they are spent, the balance cannot exceed 144.
	micro, _ := credits(t, "t2.micro").Start(Standard).After(day, 0)
	if !near(micro.Balance(), 174) {
		t.Errorf("%+v", micro)
	}
	micro, used := micro.After(30*time.Minute, 1)
	if micro.Launch != 0 || !near(micro.Balance(), 144) || !near(used, 30) {
		t.Errorf("%+v, used %g", micro, used)
	}
	if micro, _ = micro.After(day, 0); micro.Balance() != 144 {
		t.Errorf("%+v", micro)
	}
}

func TestStandardSlowsDown(t *testing.T) {
	a := credits(t, "t3.large").With(Standard, 14)
	after, used := a.After(20*time.Minute, 2) // 10 minutes at 2 vCPUs, 10 at the baseline of 0.6
	if after.Balance() != 0 || !near(used, 20+6) || after.Surplus != 0 || after.Charged != 0 || after.Left() != 0.6 {
		t.Errorf("%+v, used %g, left %g", after, used, after.Left())
	}
}

func TestUnlimitedIsCharged(t *testing.T) {
	a := credits(t, "t3.large").With(Unlimited, 14)
	after, used := a.After(20*time.Minute, 2)
	if after.Balance() != 0 || !near(used, 40) || !near(after.Surplus, 14) || after.Charged != 0 || after.Left() != 2 {
		t.Errorf("%+v, used %g, left %g", after, used, after.Left())
	}
	// Earned credits pay the surplus back: 36 in an hour.
	if idle, _ := after.After(time.Hour, 0); !near(idle.Surplus, 0) || !near(idle.Earned, 36-14) {
		t.Errorf("%+v", idle)
	}
	// The surplus reaches 864; what exceeds it is charged.
	if long, _ := after.After(864*time.Minute, 2); !near(long.Surplus, 864) || !near(long.Charged, 14+1.4*864-864) {
		t.Errorf("%+v", long)
	}
}

// burstable are types with different ratios of credits and vCPUs.
var burstable = []string{"t2.nano", "t2.xlarge", "t2.2xlarge", "t3.nano", "t3a.large", "t4g.2xlarge"}

// drawn returns the account of a type after some use.
func drawn(t *rapid.T) Account {
	i, err := Find(rapid.SampledFrom(burstable).Draw(t, "type"))
	if err != nil {
		t.Fatal(err)
	}
	a := i.Credits.Start(rapid.SampledFrom([]Mode{Standard, Unlimited}).Draw(t, "mode"))
	a.Earned = rapid.Float64Range(0, a.Credits.Most).Draw(t, "earned")
	if a.Mode == Unlimited && rapid.Bool().Draw(t, "in debt") {
		a.Earned, a.Surplus = 0, rapid.Float64Range(0, a.Credits.Most).Draw(t, "surplus")
	}
	return a
}

func minutes(t *rapid.T, label string) time.Duration {
	return time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, label))
}

// TestAccountStaysInRange: no part of an account is negative, no balance is above its limit, and in
// standard mode nothing costs extra.
func TestAccountStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawn(t)
		for range rapid.IntRange(1, 8).Draw(t, "intervals") {
			load, d := rapid.Float64Range(-1, 10).Draw(t, "load"), minutes(t, "for")
			after, used := a.After(d, load)
			if after.Launch < 0 || after.Launch > a.Launch || after.Earned < 0 || after.Earned > a.Credits.Most ||
				after.Surplus < 0 || after.Surplus > a.Credits.Most || after.Charged < a.Charged {
				t.Fatalf("%+v at %g vCPUs for %s is %+v", a, load, d, after)
			}
			if a.Mode == Standard && (after.Surplus > 0 || after.Charged > 0) {
				t.Fatalf("standard mode is in debt: %+v", after)
			}
			if want := d.Minutes() * min(max(load, 0), float64(a.Credits.VCPUs)); used < -1e-9 || used > want+1e-6 || a.Mode == Unlimited && !near(used, want) {
				t.Fatalf("%+v used %g vCPU-minutes of %g", a, used, want)
			}
			a = after
		}
	})
}

// TestSplitIntervals: two parts of an interval have the same result as the whole.
func TestSplitIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, load := drawn(t), rapid.Float64Range(0, 8).Draw(t, "load")
		first, second := minutes(t, "first"), minutes(t, "second")
		whole, used := a.After(first+second, load)
		part, usedFirst := a.After(first, load)
		parts, usedSecond := part.After(second, load)
		for _, pair := range [][2]float64{
			{whole.Launch, parts.Launch}, {whole.Earned, parts.Earned}, {whole.Surplus, parts.Surplus},
			{whole.Charged, parts.Charged}, {used, usedFirst + usedSecond},
		} {
			if !near(pair[0], pair[1]) {
				t.Fatalf("%+v at %g vCPUs for %s and %s: whole %+v, used %g; parts %+v, used %g", a, load, first, second, whole, used, parts, usedFirst+usedSecond)
			}
		}
	})
}

// TestCreditsAreConserved: earned credits are spent, kept, pay a debt back or are discarded at the
// limit; none appear from nowhere.
func TestCreditsAreConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, load, d := drawn(t), rapid.Float64Range(0, 8).Draw(t, "load"), minutes(t, "for")
		after, used := a.After(d, load)
		kept := after.Balance() - after.Surplus - after.Charged
		most := a.Balance() - a.Surplus - a.Charged + a.Credits.Sustained()*d.Minutes() - used
		if kept > most+1e-6 || after.Earned < a.Credits.Most*(1-1e-9) && a.Launch == 0 && !near(kept, most) {
			t.Fatalf("%+v at %g vCPUs for %s is %+v: %g credits, not %g", a, load, d, after, kept, most)
		}
	})
}

// TestLastsIsWhenTheBalanceIsSpent: after that time the balance is 0, shortly before it is not.
func TestLastsIsWhenTheBalanceIsSpent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, load := drawn(t), rapid.Float64Range(0, 8).Draw(t, "load")
		lasts, ends := a.Lasts(load)
		if !ends {
			if later, _ := a.After(48*time.Hour, load); load > a.Credits.Sustained()*1.001 {
				t.Fatalf("%+v at %g vCPUs is said to last forever; after 2 days %+v", a, load, later)
			}
			return
		}
		if after, _ := a.After(lasts, load); after.Balance() > 1e-5 {
			t.Fatalf("%+v at %g vCPUs still has %g credits after %s", a, load, after.Balance(), lasts)
		}
		if before, _ := a.After(lasts-time.Second, load); lasts > time.Second && a.Balance() > 0 && before.Balance() <= 0 {
			t.Fatalf("%+v at %g vCPUs has none left before %s", a, load, lasts)
		}
	})
}
