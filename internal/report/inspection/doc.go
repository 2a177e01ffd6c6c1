// Package inspection says what a machine and its database are, and what is worth changing
// about them.
package inspection
