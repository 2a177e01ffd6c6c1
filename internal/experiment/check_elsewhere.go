package experiment

import (
	"strings"

	"plinth/internal/strictyaml"

	"go.yaml.in/yaml/v3"
)

// elsewhere are the options by which mkfs and mount take a further device: a log or
// journal of its own, a real-time section, more disks. Nobody would have looked
// whether anything is on it, and nobody would put it back.
var elsewhere = []string{"logdev=", "log_dev=", "rtdev=", "device=", "journal=", "journal_dev=", "journal_path="}

// noneElse notes a word of mkfs or mount that names another device or a file. A
// slash is enough: no option of theirs that makes sense here has one.
func (c *checker) noneElse(word string, place *yaml.Node, where string) {
	for _, sign := range append(elsewhere, "/") {
		if strings.Contains(word, sign) {
			c.add(place, "leave it out: plinth uses a volume's own disk and no other; for several give raid and members",
				"%s: %s names a device or a file beside the volume's own", where, strictyaml.Quote(word))
			return
		}
	}
}
