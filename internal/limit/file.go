package limit

import (
	"os"
	"path/filepath"
	"strings"
)

// readWord is the text of a file of a control group, without white space around it.
func readWord(dir, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(text)), err
}

// writeWord sets a file of a control group, which must be there: the kernel makes
// them, so os.WriteFile would tell of a missing one that it may not be made.
func writeWord(dir, name, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(value)
	return err
}
