// Package inspection reports the facts of a machine and its database, and what is worth
// changing.
package inspection
