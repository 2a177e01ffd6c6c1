package postgres

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// tablespaces tells of datasets that lie in tablespaces of different names. One
// that an environment's storage asks for is what is compared.
func tablespaces(a, b record.Environment) string {
	inA, inB := undeclaredTablespaces(a, b), undeclaredTablespaces(b, a)
	if inA == nil && inB == nil {
		return ""
	}
	shown := func(names []string) string {
		if names == nil {
			return "(none)"
		}
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("tablespaces: %s / %s", shown(inA), shown(inB))
}

// undeclaredTablespaces are those that e has and other has not, and that no
// volume of e stands for.
func undeclaredTablespaces(e, other record.Environment) (names []string) {
	for _, tablespace := range e.Dataset.Tablespaces {
		named := func(t record.Tablespace) bool { return t.Name == tablespace.Name }
		asked := func(v record.Volume) bool {
			return v.Role == experiment.RoleTablespace+" "+tablespace.Name ||
				v.Role == experiment.RoleTemp && tablespace.Name == tempTablespace
		}
		if !slices.ContainsFunc(other.Dataset.Tablespaces, named) && !slices.ContainsFunc(e.Volumes, asked) {
			names = append(names, tablespace.Name)
		}
	}
	return names
}
