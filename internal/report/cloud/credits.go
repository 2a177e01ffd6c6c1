package cloud

import (
	"fmt"
	"math"

	"plinth/internal/instance"
	"plinth/internal/report/phrase"
)

// creditLines explains how long CPU credits last, and what happens then.
func creditLines(c instance.Credits) []string {
	all := phrase.Plural(c.VCPUs, "vCPU")
	full := fmt.Sprintf("CPU: at full load of %s a full balance of %s credits lasts %s minutes; ",
		all, phrase.Exact(tenths(c.Most)), phrase.Count(fullLoad(c).Minutes()))
	lines := []string{full + then(c)}
	lines = append(lines, fmt.Sprintf("CPU: an empty balance without load is full after %s hours", phrase.Exact(tenths(c.Most/c.PerHour))))
	if c.Launch > 0 {
		lasts, _ := c.Start(instance.Standard).Lasts(float64(c.VCPUs))
		return append(lines, fmt.Sprintf("CPU: at launch in standard mode it has %s credits, which last %s minutes at full load", phrase.Exact(c.Launch), phrase.Count(lasts.Minutes())))
	}
	if c.Fixed {
		return lines // a service keeps instances running, and publishes no credits at launch
	}
	return append(lines, "CPU: at launch it has no credits")
}

// then describes what happens when the credits are spent.
func then(c instance.Credits) string {
	left := c.With(instance.Standard, 0).Left()
	slow := fmt.Sprintf("down to %s vCPUs", phrase.Exact(math.Round(left*1000)/1000))
	const fast = "keeps its speed, but credits beyond those of 24 hours cost extra"
	switch {
	case !c.Fixed:
		return "then standard mode slows it " + slow + "; unlimited mode " + fast
	case c.Mode == instance.Unlimited:
		return "then it " + fast
	}
	return "then it slows " + slow
}
