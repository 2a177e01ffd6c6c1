// Package record is the directory that an executed experiment leaves behind:
// written atomically, read strictly. docs/record.md describes its layout.
package record
