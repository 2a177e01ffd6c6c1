package page

import (
	"crypto/sha256"
	"encoding/base64"
)

// Head is a script that runs before anything is painted: it says that there is
// JavaScript, and takes the colours that the reader chose last, so that nothing
// jumps or flashes.
const Head = `{const e=document.documentElement;e.classList.add("js");try{const t=localStorage.getItem("plinth-theme");if(t==="light"||t==="dark")e.dataset.theme=t}catch{}}`

// filePolicy is the Content-Security-Policy of a file: its own style and scripts,
// by their hashes, and nothing else from anywhere.
func filePolicy(looks, program string) string {
	return "default-src 'none'; script-src " + hash(Head) + " " + hash(program) + "; style-src " + hash(looks) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
