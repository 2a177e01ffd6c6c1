// Package summary reports on a record for the terminal: its numbers, the comparison of its
// environments and the effects of its tuning, as text, Markdown, CSV, JSON or in benchstat's
// format.
package summary
