package cli

import (
	"strconv"
	"strings"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// parseDevice reads DEVICE[,iops=N][,throughput=RATE].
func parseDevice(text string) (*device.Device, error) {
	name, rest, more := strings.Cut(text, ",")
	e, err := findDevice(name)
	if err != nil {
		return nil, err
	}
	if !more {
		return &e.Device, nil
	}
	var o device.Options
	for word := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(word, "=")
		parse, known := limitOptions[key]
		if !known {
			return nil, hint.Errorf("write iops=N or throughput=RATE", "%q is not understood", word)
		}
		if err := parse(&o, value); err != nil {
			return nil, err
		}
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

// limitOptions are the words after a device that set its limits: iops=6000, throughput=250MiB/s.
var limitOptions = map[string]func(o *device.Options, value string) error{
	"iops": func(o *device.Options, value string) (err error) {
		if o.IOPS, err = strconv.ParseFloat(value, 64); err != nil || !(o.IOPS > 0) {
			return hint.Errorf("write a number: iops=6000", "%q is not a number of operations", value)
		}
		return nil
	},
	"throughput": func(o *device.Options, value string) (err error) {
		o.Throughput, err = unit.ParseRate(value)
		return err
	},
}
