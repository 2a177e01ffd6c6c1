package chart

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

const hostileName = "<script>alert(1)</script> \"'&]]>\n\x00\x1b[31m\u202Etxt.exe\u202C \u200b\uFEFF\xff ünïcödé 数据库 🐘"

// wellFormed fails unless svg is XML with what a figure must have: a role, a title,
// unique ids, no style attribute and no script.
func wellFormed(t testing.TB, svg string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(svg))
	decoder.Strict = true
	ids := map[string]bool{}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%v in %.3000s", err, svg)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local == "script" {
			t.Fatal("there is a script in it")
		}
		for _, a := range start.Attr {
			name := a.Name.Local
			if name == "style" || strings.HasPrefix(name, "on") || strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Fatalf("%s has %s=%q", start.Name.Local, name, a.Value)
			}
			if name == "id" && ids[a.Value] {
				t.Fatalf("there are two %s", a.Value)
			}
			if name == "id" {
				ids[a.Value] = true
			}
		}
	}
}
