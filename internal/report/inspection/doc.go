// Package inspection reports the facts of a machine and its database, and the settings
// that are worth changing.
package inspection
