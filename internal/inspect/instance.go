package inspect

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/instance"
	"plinth/internal/unit"
)

var instanceRules = []rule{
	{
		name: "burstable", weight: 45, about: ofMachine, check: burstable,
		benchmark:  "a run that spends credits is faster than the one after them: an experiment can outlast the balance",
		production: "in standard mode the server slows down under load, when it matters most; in unlimited mode the load costs extra",
		do:         "read CPUCreditBalance in CloudWatch before and after an experiment, and declare instance: {}; plinth run burst-soak shows the effect",
	},
	{
		name: "instance-limits", weight: 21, about: ofMachine, check: instanceLimits,
		benchmark:  "the instance may limit its volumes below what was provisioned: declare it, so that plinth knows the lower limit",
		production: "a faster volume does not help beyond the limit of the instance",
		do:         "instance: {} in the environment; plinth instances {} shows all of its limits",
	},
}

// instance returns the type of this machine, if its firmware names one of the catalog: the product
// of an instance of Amazon EC2 is its type.
func (in *Input) instance() (instance.Instance, bool) {
	name, ec2 := strings.CutPrefix(in.Machine.Product, "Amazon EC2 ")
	if !ec2 {
		return instance.Instance{}, false
	}
	i, err := instance.Find(name)
	return i, err == nil
}

func burstable(in *Input) evidence {
	i, known := in.instance()
	if !known || i.Credits == nil {
		return nothing
	}
	c := *i.Credits
	lasts, ends := c.With(c.Mode, c.Most).Lasts(float64(c.VCPUs))
	if !ends {
		return nothing
	}
	return found("instance type %s: at full load its CPU credits last at most %.0f minutes; after that, it sustains only %.2g of %s",
		i.Name, lasts.Minutes(), c.Sustained(), several(c.VCPUs, "vCPU")).on(i.Name)
}

func instanceLimits(in *Input) evidence {
	i, known := in.instance()
	ebs := slices.ContainsFunc(in.Machine.Places, func(p host.Place) bool {
		return slices.ContainsFunc(p.Remote, func(r host.Remote) bool { return r.Product == "Amazon EBS" })
	})
	if !known || !ebs || !i.EBS.Known() {
		return nothing
	}
	ceiling := func(c instance.Ceiling) string {
		return fmt.Sprintf("%.0f IOPS and %s MB/s", c.IOPS, unit.Digits(float64(c.Throughput)/1e6, 4))
	}
	e := found("instance type %s sustains %s across all of its EBS volumes together", i.Name, ceiling(i.EBS.Baseline)).on(i.Name)
	if i.EBS.Bursts() {
		e.text += fmt.Sprintf(", and can burst to %s for %.0f minutes a day", ceiling(i.EBS.Maximum), instance.EBSBurst.Minutes())
	}
	return e
}
