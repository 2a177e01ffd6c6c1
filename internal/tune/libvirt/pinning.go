package libvirt

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"libvirt.org/go/libvirtxml"

	"plinth/internal/hint"
)

// The pinning knobs: <cputune> with <vcpupin>, <emulatorpin> and <iothreadpin>.

func vcpuPin(d *libvirtxml.Domain) string {
	all := pins{}
	for _, p := range tuneOf(d).VCPUPin {
		all[p.VCPU], _ = parseCPUs(p.CPUSet) // libvirt prints only valid lists
	}
	return all.String()
}

func setVCPUPin(d *libvirtxml.Domain, value string) error {
	tune := tuneOf(d)
	tune.VCPUPin = nil
	most := uint(1) // libvirt's default; numbers start at 0
	if d.VCPU != nil {
		most = d.VCPU.Value
	}
	err := eachPin(value, most, "vCPU", func(number uint, list string) {
		tune.VCPUPin = append(tune.VCPUPin, libvirtxml.DomainCPUTuneVCPUPin{VCPU: number, CPUSet: list})
	})
	keepTune(d, tune)
	return err
}

func ioThreadPin(d *libvirtxml.Domain) string {
	all := pins{}
	for _, p := range tuneOf(d).IOThreadPin {
		all[p.IOThread], _ = parseCPUs(p.CPUSet)
	}
	return all.String()
}

func setIOThreadPin(d *libvirtxml.Domain, value string) error {
	tune := tuneOf(d)
	tune.IOThreadPin = nil
	err := eachPin(value, 0, "", func(number uint, list string) {
		tune.IOThreadPin = append(tune.IOThreadPin, libvirtxml.DomainCPUTuneIOThreadPin{IOThread: number, CPUSet: list})
	})
	keepTune(d, tune)
	return err
}

// eachPin parses pins and calls add for each, in the order of their numbers; "" has none. With a
// limit most > 0, the highest number is most - 1.
func eachPin(value string, most uint, what string, add func(number uint, list string)) error {
	if value == "" {
		return nil
	}
	all, err := parsePins(value)
	if err != nil {
		return err
	}
	for _, number := range all.numbers() {
		if most > 0 && number >= most {
			return fmt.Errorf("there is no %s %d: the domain has %d, numbered from 0", what, number, most)
		}
		add(number, all[number].String())
	}
	return nil
}

func emulatorPin(d *libvirtxml.Domain) string {
	pin := tuneOf(d).EmulatorPin
	if pin == nil {
		return ""
	}
	return plainCPUs(pin.CPUSet)
}

func setEmulatorPin(d *libvirtxml.Domain, value string) error {
	tune := tuneOf(d)
	tune.EmulatorPin = nil
	if value != "" {
		list, err := parseCPUs(value)
		if err != nil {
			return err
		}
		tune.EmulatorPin = &libvirtxml.DomainCPUTuneEmulatorPin{CPUSet: list.String()}
	}
	keepTune(d, tune)
	return nil
}

func tuneOf(d *libvirtxml.Domain) *libvirtxml.DomainCPUTune {
	if d.CPUTune == nil {
		return &libvirtxml.DomainCPUTune{}
	}
	return d.CPUTune
}

// keepTune drops the element if it is empty.
func keepTune(d *libvirtxml.Domain, tune *libvirtxml.DomainCPUTune) {
	d.CPUTune = tune
	if reflect.ValueOf(*tune).IsZero() {
		d.CPUTune = nil
	}
}

// pins maps the numbers of vCPUs or I/O threads to the CPUs on which they may run. As text:
// "0=8,1=9-10,12", where 12 belongs to 1.
type pins map[uint]cpus

func parsePins(text string) (pins, error) {
	all := pins{}
	var at uint
	lists := map[uint][]string{}
	for i, item := range strings.Split(text, ",") {
		number, list, named := strings.Cut(item, "=")
		if !named && i == 0 {
			return nil, notPins(text)
		}
		if named {
			n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 16)
			if err != nil {
				return nil, notPins(text)
			}
			at, item = uint(n), list
			if _, twice := lists[at]; twice {
				return nil, fmt.Errorf("%q contains %d twice", text, at)
			}
		}
		lists[at] = append(lists[at], item)
	}
	for number, items := range lists {
		list, err := parseCPUs(strings.Join(items, ","))
		if err != nil {
			return nil, err
		}
		all[number] = list
	}
	return all, nil
}

func notPins(text string) error {
	return hint.Errorf("write numbers and the CPUs that they may run on, such as 0=8,1=9", "%q is not a list of pins", text)
}

// String formats the pins as parsePins reads them, in order.
func (p pins) String() string {
	var parts []string
	for _, number := range p.numbers() {
		parts = append(parts, fmt.Sprintf("%d=%s", number, p[number]))
	}
	return strings.Join(parts, ",")
}

func (p pins) numbers() []uint { return slices.Sorted(maps.Keys(p)) }
