package layout

import "testing"

// FuzzParse: no layout file makes the reader fail other than by its mistakes, and one that it accepts
// and that is complete can be written and read again.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		text, err := Builtin(name)
		must(f, err)
		f.Add(text)
	}
	f.Add([]byte("size: 500GiB\ntps: 2000\ninstance: m6i.2xlarge\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := Parse("fuzz.yaml", data)
		if err != nil {
			return
		}
		text, err := in.Text()
		if err != nil {
			return
		}
		if _, err := Parse("again.yaml", text); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	})
}
