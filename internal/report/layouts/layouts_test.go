package layouts

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"plinth/internal/layout"
	"plinth/internal/price"
	"plinth/internal/unit"
)

func found(t *testing.T, in layout.Input) *layout.Layout {
	t.Helper()
	book, err := price.Find(price.Today)
	if err != nil {
		t.Fatal(err)
	}
	region, err := book.Region("us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	l, err := layout.Find(in, layout.Choice{Book: book, Region: region})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func platform(t *testing.T) *layout.Layout {
	t.Helper()
	text, err := layout.Builtin("content-platform")
	if err != nil {
		t.Fatal(err)
	}
	in, err := layout.Parse("content-platform", text)
	if err != nil {
		t.Fatal(err)
	}
	return found(t, in)
}

func written(t *testing.T, r Report, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, format, 80); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func expect(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in it:\n%s", want, text)
		}
	}
}

func TestText(t *testing.T) {
	text := written(t, New(platform(t), "Prices: of a test.", true), "text")
	expect(t, text, "Layout of content-platform", "of at most 220us each.", "/mnt/cold", "noatime,discard",
		"price of the storage a month", "Published, and here", "- subscriptions: as published: ", "54 of the 94 are not explained", "Prices: of a test.", "Why\n===",
		"not nobarrier", "CREATE TABLESPACE cold", "What a failure would lose", "To measure the published layout: plinth run content-platform")
	for line := range strings.SplitSeq(text, "\n") {
		if len([]rune(line)) > 80 && !strings.HasPrefix(line, "    ") {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
	if strings.Contains(written(t, New(platform(t), "", false), "text"), "Why\n===") {
		t.Error("rules are shown without --why")
	}
}

// TestOutOfReach checks what is said of a goal that cannot be met, and of an instance that is too small.
func TestOutOfReach(t *testing.T) {
	text := written(t, New(found(t, layout.Input{Name: "big \x1b[31m", Size: 500 * unit.GiB, TPS: 20000, Instance: "m6i.large", Budget: 5}), "", false), "markdown")
	expect(t, text, "No layout meets this goal", "the budget", "The least budget that can be met is $", "of m6i.large", "The smallest instance of the family whose EBS limits suffice is m6i.")
	if strings.Contains(text, "\x1b") {
		t.Error("a name controls the terminal")
	}
}

func TestJSON(t *testing.T) {
	var got struct {
		Schema string `json:"schema"`
		Input  struct {
			ReadShare string `json:"read_share"`
		} `json:"input"`
		Plan struct {
			Objects []struct {
				Name string `json:"name"`
				To   string `json:"to"`
			} `json:"objects"`
		} `json:"plan"`
		Volumes []struct {
			Path string `json:"path"`
		} `json:"volumes"`
		Rules []struct {
			Name   string `json:"name"`
			Source string `json:"source"`
		} `json:"rules"`
		Published struct {
			Rows []struct {
				Same bool `json:"same"`
			} `json:"rows"`
		} `json:"published"`
	}
	if err := json.Unmarshal([]byte(written(t, New(platform(t), "", false), "json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != Schema || got.Input.ReadShare != "65%" || len(got.Plan.Objects) != 13 || len(got.Volumes) != 5 || len(got.Rules) == 0 || got.Rules[0].Source == "" || len(got.Published.Rows) == 0 {
		t.Errorf("%+v", got)
	}
}
