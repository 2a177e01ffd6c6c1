package volume

import (
	"path/filepath"

	"plinth/internal/experiment"
)

// PlaceOf is the directory that the last of a part's Commands makes: where its
// server would find it.
func PlaceOf(environment string, part experiment.Part) string {
	if part.Volume.Directory != "" {
		return filepath.Join(part.Volume.Directory, "plinth-"+environment+"-"+part.Name)
	}
	return filepath.Join("/run/plinth", environment+"-"+part.Name, "data")
}
