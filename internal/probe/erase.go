package probe

import (
	"context"
	"fmt"

	"plinth/internal/experiment"
	"plinth/internal/volume"
)

// erase takes a block device that is to be written to, and says what is lost before
// any of it is.
func (p *probe) erase(ctx context.Context) (err error) {
	if p.claimed, err = claim(p.target.Path); err != nil {
		return &TargetError{err}
	}
	disk := experiment.Disk{Device: p.target.Path, Erase: true}
	lost, err := volume.Erases(ctx, p.Launcher, experiment.Part{Role: "probe", Volume: experiment.Volume{Disk: disk}})
	if err != nil {
		return err
	}
	if len(lost) == 0 {
		p.Say(fmt.Sprintf("erasing %s (%s): nothing of a known kind is on it", p.target.Path, p.target.whole))
	}
	for _, what := range lost {
		p.Say("erasing " + what)
	}
	return nil
}
