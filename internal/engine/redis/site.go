package redis

import (
	"context"

	"plinth/internal/engine"
	"plinth/internal/host"
	"plinth/internal/record"
)

// locate finds the server's process and files, if they are on this machine, and
// notes them in its description.
func (c *Connected) locate(e *record.Environment, f facts) {
	c.site = Locate(Facts{Transport: e.Transport, Info: f, Settings: e.Settings})
	e.Elsewhere = !c.site.Local
	for _, role := range []string{"data", "aof"} {
		path, known := c.site.Places[role]
		if !known {
			continue
		}
		if place, err := host.PlaceOf(role, path); err == nil {
			e.Volumes = append(e.Volumes, record.Volume{
				Role: role, Path: path, Filesystem: place.Filesystem, Options: place.Options, Source: place.Source,
				Size: place.Size, Free: place.Free, Device: place.Device(), Disks: place.Disks,
			})
		}
	}
}

// PID is the server's process; 0 where that is not known to be on this machine.
func (c *Connected) PID() int { return c.site.PID }

// Activity reads what the server has done by itself since it started.
func (c *Connected) Activity(ctx context.Context) (engine.Activity, error) {
	a, err := c.activity(ctx, nil)
	a.PID = c.site.PID
	return a, err
}
