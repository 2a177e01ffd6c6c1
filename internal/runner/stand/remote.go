package stand

import (
	"fmt"

	"plinth/internal/host"
	"plinth/internal/record"
)

// remoteNotes warns about volumes that are reached over a network, which a run does not have to
// itself, and about cloud volumes whose limits are unknown because their type is.
func remoteNotes(volumes []record.Volume) []record.Note {
	var notes []record.Note
	for _, v := range volumes {
		if len(v.Remote) == 0 {
			continue
		}
		r := v.Remote[0] // the paths of a multipath disk are alike
		switch {
		case v.Is != nil && r.Protocol == host.Cloud:
		case r.Protocol == host.Cloud:
			notes = append(notes, record.Note{Rule: "cloud-volume",
				Text: fmt.Sprintf("%s is on a cloud volume (%s) of unknown type: its limits, and what is left of a burst, are unknown", v.Role, r.Words()),
				Hint: fmt.Sprintf("name its type: storage: {%s: {directory: DIR, is: gp3, iops: 3000}}; plinth devices lists the types", v.Role)})
		default:
			notes = append(notes, record.Note{Rule: "network-storage",
				Text: fmt.Sprintf("%s is on network storage (%s): other traffic on that network and on the storage servers is part of the result", v.Role, r.Words()),
				Hint: "repeat the experiment at another time of day"})
		}
	}
	return notes
}
