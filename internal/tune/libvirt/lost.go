package libvirt

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// lost is what an XML text has and another lacks: elements with their attributes and
// their words, whatever their order and white space. It tells what libvirtxml does not
// know and would drop.
func lost(before, after string) ([]string, error) {
	had, err := pieces(before)
	if err != nil {
		return nil, err
	}
	has, err := pieces(after)
	if err != nil {
		return nil, err
	}
	for _, piece := range has {
		if at := slices.Index(had, piece); at >= 0 {
			had = slices.Delete(had, at, at+1)
		}
	}
	return had, nil
}

// pieces are all that an XML text says, each with the path to it: "/cpu/topology@cores=4".
func pieces(text string) (all []string, err error) {
	dec := xml.NewDecoder(strings.NewReader(text))
	path := ""
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			path += "/" + t.Name.Local
			all = append(all, path)
			for _, a := range t.Attr {
				all = append(all, path+"@"+a.Name.Local+"="+a.Value)
			}
		case xml.EndElement:
			path = path[:strings.LastIndexByte(path, '/')]
		case xml.CharData:
			if words := strings.TrimSpace(string(t)); words != "" {
				all = append(all, path+": "+words)
			}
		}
	}
}
