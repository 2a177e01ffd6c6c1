package layout

import (
	"go.yaml.in/yaml/v3"

	"plinth/internal/strictyaml"
)

// MostFile is the maximum size of a layout file, in bytes.
const MostFile = 1 << 20

var kind = strictyaml.Kind{Name: "layout", File: "layout file", Limit: MostFile, Begin: "begin with the output of plinth layout content-platform --yaml"}

// Parse reads a layout file. Mistakes (*strictyaml.Error) refer to it as filename.
func Parse(filename string, data []byte) (Input, error) {
	notes := &strictyaml.Notes{File: filename, In: "the layout file"}
	root, err := notes.Document(data, kind)
	var in Input
	switch {
	case err != nil:
		notes.Syntax(data, err)
	case root != nil:
		expanded := notes.Expand(root)
		notes.Fill(expanded, &in, "the layout file")
		if notes.Err() != nil { // values that could not be read are not checked
			break
		}
		for _, m := range in.mistakes() {
			notes.Add(m.node(expanded), m.advice, "%s", m.text)
		}
	}
	if err := notes.Err(); err != nil {
		return Input{}, err
	}
	return in, nil
}

// node returns where in the file a mistake is: the value of its key, or the nearest one above.
func (m mistake) node(root *yaml.Node) *yaml.Node {
	n := root
	for _, key := range m.path {
		value := strictyaml.Lookup(n, key)
		if value == nil {
			break
		}
		n = value
	}
	return n
}
