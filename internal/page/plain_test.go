package page

import (
	"strings"
	"testing"

	"plinth/internal/prose"
)

// TestPlain: a page without a program runs none, loads nothing, and is loaded again only while it is live.
func TestPlain(t *testing.T) {
	var body prose.Document
	body.Add(prose.Paragraph("a < b"))
	p := Plain{Title: "TPS of <orders>.yaml", Kind: "search for a tuning", Body: body}
	for name, html := range map[string]string{"file": string(p.HTML()), "served": string(p.Served())} {
		for _, want := range []string{"<title>TPS of &lt;orders&gt;.yaml - plinth</title>", "<h1>TPS of &lt;orders&gt;.yaml</h1>", "a &lt; b", ">search for a tuning<"} {
			if !strings.Contains(html, want) {
				t.Errorf("%s lacks %s", name, want)
			}
		}
		if strings.Contains(html, `http-equiv="refresh"`) {
			t.Errorf("%s is loaded again though it has ended", name)
		}
	}
	if html := string(p.HTML()); strings.Contains(html, "<script") || strings.Contains(html, "<link") || !strings.Contains(html, "default-src 'none'") {
		t.Error("the file runs or loads something")
	}
	p.Live = true
	for name, html := range map[string]string{"file": string(p.HTML()), "served": string(p.Served())} {
		head, _, _ := strings.Cut(html, "</head>")
		if !strings.Contains(head, `<meta http-equiv="refresh" content="10">`) {
			t.Errorf("%s is not loaded again while it is live", name)
		}
	}
}
