// Package compare reports which environment is better: verdicts as sentences, tables and
// charts, what weakens them, and how they were reached.
package compare
