// Package cloud reports the figures of cloud instances: what they can do for a database, and for
// how long.
package cloud
