package report

import "strings"

// Paragraph is text as a report prints it: clean, and broken into lines of width.
func Paragraph(text string, width int) string { return paragraph(text).text(width) }

// List is items as a report prints them, each clean and with a hyphen before it.
func List(items []string, width int) string { return list(items).text(width) }

// Hanging is text after a first column, which its further lines leave empty.
func Hanging(column, text string, width int) string {
	before := strings.Repeat(" ", length(column))
	return column + strings.Join(wrap(Clean(text), width-length(column)), "\n"+before) + "\n"
}
