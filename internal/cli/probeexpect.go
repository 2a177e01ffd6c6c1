package cli

import (
	"os"
	"strings"

	"plinth/internal/device"
	"plinth/internal/hint"
)

// expected is a device of the catalog, or a device file: a name with a slash, or
// one that ends in .yaml.
func expected(name string) (*device.Device, error) {
	if !strings.Contains(name, "/") && !strings.HasSuffix(name, ".yaml") {
		d, err := device.Configure(name, device.Options{})
		return &d, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, hint.Wrap(err, "name a device that plinth devices lists, or a device file")
	}
	d, err := device.ReadFile(text)
	return &d, err
}
