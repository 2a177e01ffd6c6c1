package cli

import (
	"errors"
	"fmt"
	"math"

	"plinth/internal/hint"
	"plinth/internal/instance"
	"plinth/internal/prediction"
	"plinth/internal/unit"
)

func (f predictFlags) checkCPUs() error {
	switch {
	case f.speed < 0 || math.IsNaN(f.speed) || math.IsInf(f.speed, 0):
		return errors.New("--cpu-speed must be positive")
	case (f.instance == "") != (f.fromType == ""):
		return hint.Errorf("plinth instances lists them; without an instance, use --cpus and --cpu-speed",
			"--instance and --from-instance need each other: the prediction takes the ratio of their CPUs")
	case f.instance != "" && (f.cpus > 0 || f.speed > 0):
		return hint.Errorf("give either --instance, or --cpus and --cpu-speed", "--instance says how many CPUs there are, and how fast they are")
	}
	return nil
}

// onInstance asks for the CPUs of a cloud instance: as many as it has, and as fast as CoreMark says in proportion to that
// on which the reference was measured. It returns that in words.
func onInstance(q *prediction.Question, measured, asked string) (string, error) {
	var each [2]float64 // CoreMark of a vCPU
	var to instance.Instance
	for i, one := range []struct{ flag, name string }{{"--from-instance", measured}, {"--instance", asked}} {
		var err error
		if to, err = instance.Find(one.name); err != nil {
			return "", hint.Wrap(fmt.Errorf("%s: %w", one.flag, err), hint.Of(err))
		}
		if to.CoreMark == 0 {
			return "", hint.Errorf("say how much faster its CPUs are: --cpus and --cpu-speed", "%s: the catalog has no result of CoreMark for %s", one.flag, one.name)
		}
		each[i] = to.CoreMark / float64(to.VCPUs)
	}
	q.CPUs, q.CPUSpeed, q.SpeedSource = to.VCPUs, each[1]/each[0], prediction.CoreMark
	return fmt.Sprintf("%s (%s, %.2f times as fast as those of %s by CoreMark)", asked, unit.Count(to.VCPUs, "CPU"), q.CPUSpeed, measured), nil
}
