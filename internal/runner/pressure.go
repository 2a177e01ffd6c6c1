package runner

import (
	"context"
	"path/filepath"

	"plinth/internal/experiment"
	"plinth/internal/neighbour"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// pressureOf is the neighbour's load that an environment asks for; nil for none.
func pressureOf(e experiment.Environment) *record.Pressure {
	if e.Pressure.Write == 0 && e.Pressure.Read == 0 {
		return nil
	}
	on := e.Pressure.Volume
	if on == "" {
		on = experiment.RoleData
	}
	return &record.Pressure{Volume: on, Write: float64(e.Pressure.Write), Read: float64(e.Pressure.Read)}
}

// pressure is what the neighbour of a place has to reach: of an emulated volume whose
// rates are scaled the same part, so that it takes as much of it as it would of the whole.
func (p *place) pressure(scale float64) *record.Pressure {
	asked := pressureOf(p.environment)
	if asked == nil {
		return nil
	}
	if v := p.volume(asked.Volume); v.Facts().Emulation != nil {
		asked.Write, asked.Read = asked.Write*scale, asked.Read*scale
	}
	return asked
}

// press starts the neighbour of an environment, which loads its volume until it is
// stopped. Its file goes with the volume.
func (r *Runner) press(ctx context.Context, p *place) (*neighbour.Load, error) {
	v := p.volume(pressureOf(p.environment).Volume)
	asked := p.pressure(r.rateScale)
	return neighbour.Start(ctx, r.launcher, neighbour.Options{
		Directory: filepath.Dir(v.Path), Write: unit.Rate(asked.Write), Read: unit.Rate(asked.Read),
	})
}
