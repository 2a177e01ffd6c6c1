// Package compare says which environment is better: verdicts as sentences, tables and
// pictures, what weakens them, and how they were found.
package compare
