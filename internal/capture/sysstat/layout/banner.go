package layout

import (
	"bytes"
	"regexp"
	"strconv"

	"plinth/internal/capture"
)

// Banner is the first line of iostat, mpstat, pidstat and sar (print_gal_header in common.c):
//
//	Linux 6.14.0-1018-aws (ip-10-0-1-227) 	01/03/26 	_aarch64_	(8 CPU)
type Banner struct {
	Kernel  string
	Host    string
	Date    string // as printed
	Machine string
	CPUs    int
}

var banner = regexp.MustCompile(`^Linux (\S+) \((.*)\)\s+(\S.*?)\s+_(\S+)_\s+\((\d+) CPU\)\s*$`)

// ParseBanner parses the first line of an output.
func ParseBanner(line []byte) (Banner, bool) {
	if !bytes.HasPrefix(line, []byte("Linux ")) {
		return Banner{}, false
	}
	m := banner.FindSubmatch(line)
	if m == nil {
		return Banner{}, false
	}
	cpus, err := strconv.Atoi(string(m[5]))
	if err != nil || cpus < 1 || cpus > maxCPUs {
		return Banner{}, false
	}
	return Banner{Kernel: string(m[1]), Host: string(m[2]), Date: string(m[3]), Machine: string(m[4]), CPUs: cpus}, true
}

const maxCPUs = 65536

// Facts returns what the line says of the machine.
func (b Banner) Facts(source string) []capture.Fact {
	var facts []capture.Fact
	for _, f := range [...][2]string{{"kernel", b.Kernel}, {"host", b.Host}, {"date", b.Date}, {"machine", b.Machine}} {
		if f[1] != "" {
			facts = append(facts, capture.Fact{Source: source, Name: f[0], Value: f[1]})
		}
	}
	if b.CPUs > 0 {
		facts = append(facts, capture.Fact{Source: source, Name: "cpus", Value: strconv.Itoa(b.CPUs)})
	}
	return facts
}
