package stand

import (
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/volume"
)

// addSaid adds to volumes what the experiment says of them. It returns warnings about volumes that
// are not known. Reach returns the path by which plinth reaches a directory of the server.
func addSaid(volumes []record.Volume, storage *experiment.Storage, reach func(string) string) []record.Note {
	var notes []record.Note
	for _, role := range storage.SaidRoles() {
		model, source, err := storage.Role(role).SaidModel()
		if err != nil {
			notes = append(notes, record.Note{Rule: "said-unused", Text: "is: of " + role + " has no effect: " + err.Error()})
			continue
		}
		known := false
		for i, v := range volumes {
			if v.Role != role {
				continue
			}
			known = true
			// Only the disks of an existing server were unknown before it was started.
			if why := volume.OtherDisk(model, role, reach(v.Path)); why != "" {
				notes = append(notes, record.Note{Rule: "said-other-disk", Text: "is: of " + role + " has no effect: " + source + " describes another disk: " + why,
					Hint: "probe this disk, or remove the section disk from the file if both disks are of the same kind"})
				continue
			}
			volumes[i].Is = &record.Said{Model: model, Source: source}
		}
		if !known {
			notes = append(notes, record.Note{Rule: "said-unused",
				Text: "is: " + model.Name + " of " + role + " has no effect: plinth cannot see that volume",
				Hint: "run plinth on the server's own machine"})
		}
	}
	return notes
}
