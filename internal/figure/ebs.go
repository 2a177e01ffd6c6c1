package figure

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"

	"plinth/internal/record"
)

// Names of the checklists that come with plinth.
const (
	Published = "published"
	EBS       = "ebs"     // general purpose volumes
	EBSio2    = "ebs-io2" // volumes with provisioned IOPS
)

var (
	//go:embed checklist.yaml
	published []byte
	//go:embed ebs.yaml
	ebs []byte
	//go:embed ebs-io2.yaml
	ebsIO2 []byte
)

var shipped = map[string][]byte{Published: published, EBS: ebs, EBSio2: ebsIO2}

// Shipped returns the names of the checklists that come with plinth.
func Shipped() []string { return []string{Published, EBS, EBSio2} }

// ShippedYAML returns a checklist that comes with plinth, as a file to begin one's own with. It
// returns nil for other names.
func ShippedYAML(name string) []byte { return bytes.Clone(shipped[name]) }

// ebsList maps the volume types of EBS with a checklist to its name. Those on hard disks have none.
var ebsList = map[string]string{
	"gp2": EBS, "gp3": EBS, "gp3-burst": EBS,
	"io1": EBSio2, "io2": EBSio2, "io2-block-express": EBSio2,
}

// ChecklistFor returns the published checklist with the items for the volumes of an environment that
// are known to be of EBS: emulated, declared by the experiment, or with the model that AWS gives them.
func ChecklistFor(e record.Environment) Checklist {
	list, _ := LoadChecklist(Published) // a test loads all of them
	if !list.about(e.Server) {
		list = Checklist{}
	}
	for _, role := range []string{"data", "wal"} {
		volume, one := typeOf(e, role)
		more, _ := LoadChecklist(ebsList[volume])
		own := slices.DeleteFunc(more.checks, func(c check) bool {
			otherQueue := !one && strings.HasSuffix(c.figure, "-queue") // its bounds are those of one volume
			return otherQueue || !strings.HasPrefix(c.figure, role+"-disk-")
		})
		if len(own) == 0 {
			continue
		}
		list.checks = append(list.checks, own...)
		if !strings.Contains(list.Source, more.Source) {
			list.Source = strings.TrimPrefix(list.Source+"; EBS: "+more.Source, "; ")
		}
	}
	return list
}

// typeOf returns the type of the volume with a role of its own, and whether the volume is one of this
// type: not an array of such volumes, and not an EBS volume of unknown type, which counts as the type
// that AWS recommends. It returns "" for other volumes.
func typeOf(e record.Environment, role string) (name string, one bool) {
	for _, v := range e.Volumes {
		if v.Role != role {
			continue
		}
		model, known := v.Model()
		if !known && isEBS(v) {
			return "gp3", false
		}
		return model.Member().Name, model.Array == nil
	}
	return "", false
}
