package stand

import (
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// addSaid adds to volumes what the experiment says of them. It returns warnings about volumes that
// are not known.
func addSaid(volumes []record.Volume, storage *experiment.Storage) []record.Note {
	var notes []record.Note
	for _, role := range storage.SaidRoles() {
		model, source, err := storage.Role(role).SaidModel()
		if err != nil {
			notes = append(notes, record.Note{Rule: "said-unused", Text: "is: of " + role + " has no effect: " + err.Error()})
			continue
		}
		known := false
		for i := range volumes {
			if volumes[i].Role == role {
				volumes[i].Is, known = &record.Said{Model: model, Source: source}, true
			}
		}
		if !known {
			notes = append(notes, record.Note{Rule: "said-unused",
				Text: "is: " + model.Name + " of " + role + " has no effect: plinth cannot see that volume",
				Hint: "run plinth on the server's own machine"})
		}
	}
	return notes
}
