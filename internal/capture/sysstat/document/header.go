package document

import (
	"regexp"
	"strconv"

	"plinth/internal/capture/sysstat/layout"
)

// header holds the statements of the document about the machine.
type header struct {
	banner layout.Banner
	clock  layout.Clock
	known  bool
}

var (
	headerText = regexp.MustCompile(`"(nodename|release|machine|date|file-date)"\s*:\s*"([^"\\]*)"`)
	headerCPUs = regexp.MustCompile(`"number-of-cpus"\s*:\s*(\d{1,6})\b`)
)

func parseHeader(text []byte) header {
	h := header{known: true}
	for _, m := range headerText.FindAllSubmatch(text, -1) {
		value := string(m[2])
		switch string(m[1]) {
		case "nodename":
			h.banner.Host = value
		case "release":
			h.banner.Kernel = value
		case "machine":
			h.banner.Machine = value
		default:
			h.banner.Date = value
		}
	}
	if m := headerCPUs.FindSubmatch(text); m != nil {
		h.banner.CPUs, _ = strconv.Atoi(string(m[1]))
	}
	h.clock = layout.NewClock(h.banner.Date)
	return h
}
