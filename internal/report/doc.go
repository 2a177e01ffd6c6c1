// Package report is all that is said of a record: the summary in a terminal, the comparison,
// and the whole report for a page or a pull request. Its children each answer one
// question: show (how fast was it?), compare (which is better?), steps (what did the tuning
// do?), runpage (what happened in this run?), inspection and tuning. What several of them
// share is in phrase (words for numbers) and output (formats).
package report
