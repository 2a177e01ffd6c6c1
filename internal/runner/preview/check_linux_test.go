package preview

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
)

func TestPressable(t *testing.T) {
	hosttest.NeedRoot(t)
	for _, tc := range []struct {
		pressure experiment.Pressure
		limits   experiment.Limits
		text     string
	}{
		{experiment.Pressure{Write: 1 << 20}, experiment.Limits{}, ""},
		{experiment.Pressure{Memory: 0.5, CPU: 1}, experiment.Limits{}, ""},
		{experiment.Pressure{CPU: 2}, experiment.Limits{CPUs: 1}, "pressure.cpu: 2, but the background load runs on the server's CPUs, and there are only 1"},
		{experiment.Pressure{CPU: 4096}, experiment.Limits{}, "pressure.cpu: 4096"},
	} {
		err := pressable(experiment.Environment{Pressure: tc.pressure, Limits: tc.limits})
		if (err == nil) != (tc.text == "") || err != nil && (!strings.Contains(err.Error(), tc.text) || hint.Of(err) == "") {
			t.Errorf("%+v, %+v: %v (hint %q)", tc.pressure, tc.limits, err, hint.Of(err))
		}
	}
}
