package report_test

import (
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

// TestRedis checks that a Redis record has the published table, penalty ratios and datasets of
// keys, and counts requests rather than transactions.
func TestRedis(t *testing.T) {
	var text, markdown strings.Builder
	if err := summary.Write(&text, reporttest.Cached(t), "text", summary.Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if err := summary.Write(&markdown, reporttest.Cached(t), "markdown", summary.Options{}); err != nil {
		t.Fatal(err)
	}
	whole := full(t, reporttest.Cached(t))
	reporttest.Golden(t, filepath.Join("testdata", "redis.txt"), text.String())
	reporttest.Golden(t, filepath.Join("testdata", "redis.md"), whole.Markdown())
	for name, said := range map[string]string{"text": text.String(), "markdown": markdown.String(), "full": whole.Markdown(), "html": bodyHTML(whole)} {
		for _, foreign := range []string{"TPS", "transaction", "rows/s", "unixsocket"} {
			if strings.Contains(said, foreign) {
				t.Errorf("%s says %q of Redis", name, foreign)
			}
		}
		for _, wanted := range []string{"SET RPS", "SET p99", "PING max", "times fewer RPS", "1,000 keys", "500 keys/s"} {
			if !strings.Contains(said, wanted) {
				t.Errorf("%s lacks %q", name, wanted)
			}
		}
	}
}
