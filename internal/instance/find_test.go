package instance

import (
	"strings"
	"testing"

	"plinth/internal/hint"
)

func TestFindManaged(t *testing.T) {
	for name, want := range map[string]struct {
		hardware string
		service  Service
	}{
		"m6i.large":       {"m6i.large", ""},
		"db.m6i.large":    {"m6i.large", Database},
		"cache.m6g.large": {"m6g.large", Cache},
	} {
		got, err := Find(name)
		if err != nil {
			t.Error(err)
			continue
		}
		hardware, err := Find(want.hardware)
		if err != nil || got.Name != name || got.Type != want.hardware || got.Service != want.service || got.Managed() != (want.service != "") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		got.Name, got.Service = hardware.Name, ""
		if got != hardware {
			t.Errorf("%s: %+v is not the hardware %+v", name, got, hardware)
		}
	}
}

func TestFindUnknown(t *testing.T) {
	for name, want := range map[string]string{
		"m6i.larg":                   "did you mean m6i.large? plinth instances lists them",
		"M6I.Large":                  "did you mean m6i.large? plinth instances lists them",
		"db.m6i.lrge":                "did you mean db.m6i.large? plinth instances lists them",
		"cache.m6gg.large":           "did you mean cache.m6g.large or cache.m6gd.large? plinth instances lists them",
		"t3":                         "did you mean t3.nano, t3.micro, t3.small, t3.medium, t3.large or t3.xlarge, among others? plinth instances lists them",
		"i4g.banana":                 "did you mean i4g.large, i4g.xlarge, i4g.2xlarge, i4g.4xlarge, i4g.8xlarge or i4g.16xlarge? plinth instances lists them",
		"standard":                   "plinth instances lists them",
		"":                           "plinth instances lists them",
		strings.Repeat("m9i.", 1000): "plinth instances lists them",
	} {
		_, err := Find(name)
		if err == nil || hint.Of(err) != want || len(err.Error()) > 150 {
			t.Errorf("%q: %v, hint %q, want %q", name, err, hint.Of(err), want)
		}
	}
	if _, err := Find("db.m6i.lrge"); err == nil || err.Error() != `there is no instance "db.m6i.lrge" in the catalog` {
		t.Error(err)
	}
}
