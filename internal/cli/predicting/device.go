package predicting

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/cli/base"
	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// parseLimits reads DEVICE[,iops=N][,throughput=RATE].
func parseLimits(text string) (name string, o device.Options, err error) {
	name, rest, more := strings.Cut(text, ",")
	if !more {
		return name, o, nil
	}
	for word := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(word, "=")
		parse, known := base.LimitOptions[key]
		if !known {
			return "", o, hint.Errorf("write iops=N or throughput=RATE", "unknown option %q", word)
		}
		if err := parse(&o, value); err != nil {
			return "", o, err
		}
	}
	return name, o, nil
}

// parseDevice returns the model of DEVICE[,iops=N][,throughput=RATE].
func parseDevice(text string) (*device.Device, error) {
	name, o, err := parseLimits(text)
	if err != nil {
		return nil, err
	}
	e, err := base.FindDevice(name)
	if err != nil {
		return nil, err
	}
	if o == (device.Options{}) {
		return &e.Device, nil
	}
	if _, err := device.Find(name); err == nil {
		d, err := device.Configure(name, o)
		return &d, err
	}
	d := e.Device.WithLimits(func(one *device.Device) {
		if o.IOPS > 0 {
			one.IOPS = device.Limit{Rate: o.IOPS}
		}
		if o.Throughput > 0 {
			one.Throughput = device.FlowLimit{Rate: o.Throughput}
		}
	})
	return &d, d.Check()
}

// nameDisk says on which disk an environment was measured, if its record does not. Of an import, it may correct the
// record: fio may have measured another disk.
func nameDisk(rec *record.Record, environment, text string) error {
	if text == "" {
		return nil
	}
	d, err := parseDevice(text)
	if err != nil {
		return hint.Wrap(fmt.Errorf("--from-device: %w", err), hint.Of(err))
	}
	env := rec.Environments[environment]
	volumes := slices.Clone(env.Volumes)
	at := slices.IndexFunc(volumes, func(v record.Volume) bool { return v.Role == experiment.RoleData })
	if at < 0 {
		volumes, at = append(volumes, record.Volume{Role: experiment.RoleData}), len(volumes)
	}
	if model, known := volumes[at].Model(); known && env.Kind != record.BasisImported {
		return hint.Errorf("leave it out", "--from-device: the record says that the data of %s was on %s", environment, model.Member().Name)
	}
	volumes[at].Is = &record.Said{Model: *d, Source: "--from-device"}
	env.Volumes = volumes
	rec.Environments[environment] = env
	return nil
}
