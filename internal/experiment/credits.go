package experiment

import (
	"fmt"

	"plinth/internal/hint"
	"plinth/internal/instance"
)

// CPUCredits limit the CPU time of a server as a burstable instance limits it. A plain string in the
// file is Instance.
type CPUCredits struct {
	Instance string  `yaml:"instance" doc:"A burstable instance: t3.large (plinth instances lists them). The server has its vCPUs while the credits last, then its baseline. Short form: the name alone instead of the keys."`
	Mode     string  `yaml:"mode" enum:"standard,unlimited" doc:"standard: the server slows down to the baseline when the credits are spent. unlimited: it never does, and the credits that it spends in advance are counted. Default: standard, but unlimited for a managed database (db.t3.large), which has no other mode."`
	Balance  float64 `yaml:"balance" min:"0.001" doc:"Credits at the beginning of each load, warm-up included. One credit is one vCPU for one minute. Default: the largest balance of the instance, that of 24 idle hours."`
}

// There reports whether the file gives credits.
func (c CPUCredits) There() bool { return c.Instance != "" }

// Account returns the credit account at the beginning of a load. It returns an error for an instance
// that is not in the catalog or has no credits, and for a mode or balance that it cannot have.
func (c CPUCredits) Account() (instance.Account, error) {
	i, err := instance.Find(c.Instance)
	if err != nil {
		return instance.Account{}, err
	}
	if i.Credits == nil {
		return instance.Account{}, hint.Errorf("the burstable families are t2, t3, t3a and t4g", "%s has no CPU credits", i.Name)
	}
	mode := instance.Standard
	if i.Credits.Fixed {
		mode = i.Credits.Mode
	}
	switch {
	case c.Mode != "" && i.Credits.Fixed && c.Mode != string(mode):
		return instance.Account{}, hint.Errorf("leave mode out", "%s always runs in %s mode", i.Name, mode)
	case c.Mode != "":
		mode = instance.Mode(c.Mode)
	}
	if c.Balance > i.Credits.Most {
		return instance.Account{}, hint.Errorf(fmt.Sprintf("set balance to %g or less, or leave it out", i.Credits.Most),
			"a balance of %g credits is more than %s can have", c.Balance, i.Name)
	}
	balance := i.Credits.Most
	if c.Balance > 0 {
		balance = c.Balance
	}
	return i.Credits.With(mode, balance), nil
}
