package trial

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/device"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

// mostIOPS is a limit that a few clients do not reach. Higher ones are left out: this machine may not
// be able to emulate them, and would have to scale the rates of all devices down.
const mostIOPS = 20000

// volume returns the volume of a store in flow style: {emulate: gp3, size: 4GiB}.
func volume(s placement.Store, size unit.Size) (string, error) {
	if tooFast(s.Device) {
		return fmt.Sprintf("{emulate: pass-through, size: %s} # %s is too fast to be emulated: this machine's disk stands for it", size, s.Device.Name), nil
	}
	model := reachable(s.Device)
	if text, found := named(model); found {
		return fmt.Sprintf("{%s, size: %s}", text, size), nil
	}
	text, err := inFlow(model)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("{emulate: {model: %s}, size: %s}", text, size), nil
}

// fastest is the shortest latency that emulated devices are given: an emulator answers in 20 to 60 µs.
const fastest = 80e-6

func tooFast(d device.Device) bool {
	return d.Name != "pass-through" && min(d.MeanSeconds(device.Read), d.MeanSeconds(device.Write)) < fastest
}

// reachable returns a device without a limit of IOPS that is never reached.
func reachable(d device.Device) device.Device {
	if d.Member().IOPS.Rate <= mostIOPS {
		return d
	}
	if d.Array != nil {
		array, one := *d.Array, *d.Array.Of
		one.IOPS = device.Limit{}
		array.Of, d.Array = &one, &array
		return d
	}
	d.IOPS = device.Limit{}
	return d
}

// named returns the keys of a device of the catalog, with what was provisioned.
func named(d device.Device) (string, bool) {
	e, err := device.Find(d.Name)
	if err != nil {
		return "", false
	}
	if reflect.DeepEqual(e.Device, d) {
		return "emulate: " + d.Name, true
	}
	iops, throughput := d.Provisioned()
	for _, o := range []struct {
		device.Options
		text string
	}{
		{device.Options{IOPS: iops}, fmt.Sprintf("iops: %.0f", iops)},
		{device.Options{IOPS: iops, Throughput: throughput}, fmt.Sprintf("iops: %.0f, throughput: %s", iops, throughput)},
	} {
		if same, err := device.Configure(d.Name, o.Options); err == nil && reflect.DeepEqual(same, d) {
			return fmt.Sprintf("emulate: %s, %s", d.Name, o.text), true
		}
	}
	return "", false
}

// inFlow returns a model in one line.
func inFlow(d device.Device) (string, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(d.YAML(), &n); err != nil || len(n.Content) != 1 {
		return "", fmt.Errorf("cannot write the model of %s: %w", d.Name, err)
	}
	flow(n.Content[0])
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n.Content[0]); err != nil {
		return "", err
	}
	return strings.Join(strings.Fields(b.String()), " "), nil
}

func flow(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, c := range n.Content {
		flow(c)
	}
}
