package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

const (
	typeHTML = "text/html; charset=utf-8"
	typeJSON = "application/json"
)

// worthwhile is the minimum length of a response to compress, in bytes.
const worthwhile = 1 << 10

// send responds with a complete body, compressed if the browser accepts it.
func send(w http.ResponseWriter, r *http.Request, status int, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Add("Vary", "Accept-Encoding")
	if len(body) >= worthwhile && takesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = compressed(body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // an error means that the client has disconnected
	}
}

// compressed compresses for speed rather than size: responses seldom leave this machine.
func compressed(body []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // a valid level
	_, _ = z.Write(body)                            // to memory: cannot fail
	_ = z.Close()
	return b.Bytes()
}

// takesGzip reports whether an Accept-Encoding header accepts gzip (RFC 9110, 12.5.3).
func takesGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if name = strings.TrimSpace(name); !strings.EqualFold(name, "gzip") && name != "*" {
			continue
		}
		q, given := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		value, err := strconv.ParseFloat(q, 64)
		return !given || err == nil && value > 0
	}
	return false
}

func sendJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		refuse(w, r, http.StatusInternalServerError, err)
		return
	}
	send(w, r, status, typeJSON, append(body, '\n'))
}
