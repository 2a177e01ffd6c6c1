// Package report writes the whole report of a record, for a page or a pull request: the answer and
// its weaknesses, the verdicts, each load, each run, the environments and the method. Each package
// below it answers one question: show (how fast was it?), compare (which is better?), breakdown (by
// how much, at each load and by each metric?), steps (what did the tuning do?), load (how does it
// scale with the load?), environment (on what?), durability (what survived?), runpage (what
// happened in this run?), inspection (how are this machine and its database set up, and what should
// be changed?), tuning (what would a tuning change, and what has it changed?), disk (how fast is
// this disk?), cloud (what can this instance do?), costs (what does it cost?), advising (which one to
// take?), placing (which storage for which table?) and imports (what did others measure?). Package
// summary combines them for the terminal. Shared code is in phrase (wording of numbers) and output
// (formats).
package report
