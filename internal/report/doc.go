// Package report is the whole report of a record, for a page or a pull request: the answer
// and what weakens it, the verdicts, each load, each run, the environments and the method.
// Its children each answer one question: show (how fast was it?), compare (which is
// better?), steps (what did the tuning do?), load (how does it go with the load?),
// environment (on what?), durability (what survived?), runpage (what happened in this run?),
// inspection, tuning and disk. Of those summary makes what a terminal shows. What several of
// them share is in phrase (words for numbers) and output (formats).
package report
