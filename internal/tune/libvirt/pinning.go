package libvirt

import (
	"fmt"
	"reflect"

	"libvirt.org/go/libvirtxml"
)

// The pinning knobs: <cputune> with <vcpupin>, <emulatorpin> and <iothreadpin>.

func vcpuPin(d *libvirtxml.Domain) string {
	all := pins{}
	for _, p := range tuneOf(d).VCPUPin {
		all[p.VCPU], _ = parseCPUs(p.CPUSet) // libvirt prints none that are no list
	}
	return all.String()
}

func setVCPUPin(d *libvirtxml.Domain, value string) error {
	tune := tuneOf(d)
	tune.VCPUPin = nil
	err := eachPin(value, vcpus(d), "vCPU", func(number uint, list string) {
		tune.VCPUPin = append(tune.VCPUPin, libvirtxml.DomainCPUTuneVCPUPin{VCPU: number, CPUSet: list})
	})
	keepTune(d, tune)
	return err
}

// vcpus are how many a domain may have; libvirt numbers them from 0.
func vcpus(d *libvirtxml.Domain) uint {
	if d.VCPU == nil {
		return 1 // that is libvirt's
	}
	return d.VCPU.Value
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

// eachPin reads pins, in the order of their numbers; "" are none. Where there are most
// things, the last has the number most - 1.
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

// keepTune leaves no empty element.
func keepTune(d *libvirtxml.Domain, tune *libvirtxml.DomainCPUTune) {
	d.CPUTune = tune
	if reflect.ValueOf(*tune).IsZero() {
		d.CPUTune = nil
	}
}
