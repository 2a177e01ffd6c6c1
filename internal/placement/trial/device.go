package trial

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	devices "plinth/internal/device"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

// mostIOPS is a limit that a few clients do not reach. Higher ones are left out: this machine may not
// be able to emulate them, and would have to scale the rates of all devices down.
const mostIOPS = 20000

// device returns the volume of a store in flow style: {emulate: gp3, size: 4GiB}.
func device(s placement.Store, size unit.Size) (string, error) {
	model := s.Device
	if m := model.Member(); m.IOPS.Rate > mostIOPS || m.IOPS.Rate == 0 && m.Throughput.Rate == 0 {
		model = devices.Unlimited(model)
		model.Name, model.Source = s.Device.Name, "plinth place, without the limits of "+s.Device.Name
	}
	if text, found := named(model); found {
		return fmt.Sprintf("{%s, size: %s}", text, size), nil
	}
	text, err := inFlow(model)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("{emulate: {model: %s}, size: %s}", text, size), nil
}

// named returns the keys of a device of the catalog, with what was provisioned.
func named(d devices.Device) (string, bool) {
	e, err := devices.Find(d.Name)
	if err != nil {
		return "", false
	}
	if reflect.DeepEqual(e.Device, d) {
		return "emulate: " + d.Name, true
	}
	iops, throughput := d.Provisioned()
	for _, o := range []struct {
		devices.Options
		text string
	}{
		{devices.Options{IOPS: iops}, fmt.Sprintf("iops: %.0f", iops)},
		{devices.Options{IOPS: iops, Throughput: throughput}, fmt.Sprintf("iops: %.0f, throughput: %s", iops, throughput)},
	} {
		if same, err := devices.Configure(d.Name, o.Options); err == nil && reflect.DeepEqual(same, d) {
			return fmt.Sprintf("emulate: %s, %s", d.Name, o.text), true
		}
	}
	return "", false
}

// inFlow returns a model in one line.
func inFlow(d devices.Device) (string, error) {
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
