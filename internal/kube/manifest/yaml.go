package manifest

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// YAML returns objects as documents for kubectl apply. The keys of each are in alphabetical order, which
// begins with apiVersion, kind and metadata.
func YAML(objects ...Object) ([]byte, error) {
	var text bytes.Buffer
	for _, o := range objects {
		text.WriteString("---\n")
		encoder := yaml.NewEncoder(&text)
		encoder.SetIndent(2)
		if err := encoder.Encode(o); err != nil {
			return nil, err
		}
		if err := encoder.Close(); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}
