package preview

import (
	"fmt"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/instance"
	"plinth/internal/unit"
)

// addBursts adds what will end during the experiment: bursts that plinth enforces or emulates, as
// lines of the plan, and those of declared instances, as warnings.
func (p *Preview) addBursts(e *experiment.Experiment) {
	load := e.Warmup.Std() + e.Duration.Std()
	for _, environment := range e.Environments {
		p.Bursts = append(p.Bursts, creditLines(environment, load)...)
		p.Bursts = append(p.Bursts, volumeLines(environment, load)...)
		if i, err := instance.Find(environment.Instance); err == nil {
			p.Warnings = append(p.Warnings, instanceLimits(environment, i, p.Total)...)
			p.Warnings = append(p.Warnings, burstable(environment, i, p.Total)...)
		}
	}
}

// creditLines describes CPU credits that plinth enforces.
func creditLines(e experiment.Environment, load time.Duration) []string {
	account, err := e.Limits.CPUCredits.Account()
	if !e.Limits.CPUCredits.There() || err != nil {
		return nil
	}
	lasts, ends := account.Lasts(float64(account.Credits.VCPUs))
	if !ends {
		return nil
	}
	after := fmt.Sprintf("once they are used up, the server has %.2g CPUs", account.Left())
	if account.Mode == instance.Unlimited {
		after = "further ones are counted, and the server does not slow down"
	}
	return []string{fmt.Sprintf("%s: at full load of %s, the %.4g CPU credits of %s %s; %s",
		e.Name, unit.Count(account.Credits.VCPUs, "vCPU"), account.Balance(), e.Limits.CPUCredits.Instance, covered("cover", "last", lasts, load), after)}
}

// volumeLines describes the bursts of emulated volumes.
func volumeLines(e experiment.Environment, load time.Duration) (lines []string) {
	for _, part := range e.Storage.Parts() {
		models, err := part.Volume.Models()
		if err != nil || len(models) == 0 {
			continue
		}
		one := models[0].Member()
		for _, l := range []struct {
			what  string
			lasts time.Duration
		}{{"IOPS", one.IOPS.Lasts()}, {"throughput", one.Throughput.Limit().Lasts()}} {
			if l.lasts > 0 {
				lines = append(lines, fmt.Sprintf("%s: at the full burst rate, the %s burst of the %s volume %s",
					e.Name, l.what, part.Name, covered("covers", "lasts", l.lasts, load)))
			}
		}
	}
	return lines
}

// instanceLimits warns of EBS volumes that can do more than their instance sustains.
func instanceLimits(e experiment.Environment, i instance.Instance, total time.Duration) []experiment.Warning {
	if !i.EBS.Known() {
		return nil
	}
	var warnings []experiment.Warning
	for _, role := range e.Storage.SaidRoles() {
		model, _, err := e.Storage.Role(role).SaidModel()
		iops, flow := model.Provisioned()
		base := i.EBS.Baseline
		if err != nil || !model.OfEBS() || iops <= base.IOPS && flow <= base.Throughput {
			continue
		}
		text := fmt.Sprintf("%s: %s sustains %.0f IOPS and %s MB/s across all of its EBS volumes together, and %s has %.0f IOPS and %s MB/s (%s)",
			e.Name, i.Name, base.IOPS, unit.Digits(float64(base.Throughput)/1e6, 4), role, iops, unit.Digits(float64(flow)/1e6, 4), model.Name)
		if i.EBS.Bursts() {
			text += fmt.Sprintf("; it can exceed them for %s a day, and this experiment takes %s", unit.About(instance.EBSBurst), unit.About(total))
		}
		warnings = append(warnings, experiment.Warning{Rule: "instance-limits", Text: text, Hint: "plinth instances " + i.Family() + " lists what larger sizes sustain"})
	}
	return warnings
}

// burstable warns that a declared instance may run out of CPU credits.
func burstable(e experiment.Environment, i instance.Instance, total time.Duration) []experiment.Warning {
	if i.Credits == nil {
		return nil
	}
	account := i.Credits.With(i.Credits.Mode, i.Credits.Most)
	lasts, ends := account.Lasts(float64(i.Credits.VCPUs))
	if !ends {
		return nil
	}
	text := fmt.Sprintf("%s: at full load the CPU credits of a %s last at most %s; this experiment takes %s", e.Name, i.Name, unit.About(lasts), unit.About(total))
	advice := "read CPUCreditBalance in CloudWatch before and after, or use an instance without credits"
	if i.Credits.Mode == instance.Unlimited {
		text += "; in unlimited mode it costs more then, and does not slow down"
		if !i.Credits.Fixed {
			text += "; in standard mode it slows down"
		}
	} else {
		text += "; then it slows down"
	}
	return []experiment.Warning{{Rule: "burstable", Text: text, Hint: advice}}
}

// covered returns how much of each run a burst lasts. The length of a run may be unknown.
func covered(covers, lasts string, burst, load time.Duration) string {
	switch {
	case load <= 0:
		return fmt.Sprintf("%s the first %s of each run", covers, unit.About(burst))
	case burst > load:
		return fmt.Sprintf("%s %s, longer than a whole run of %s", lasts, unit.About(burst), unit.About(load))
	}
	return fmt.Sprintf("%s only the first %s of each run of %s", covers, unit.About(burst), unit.About(load))
}
