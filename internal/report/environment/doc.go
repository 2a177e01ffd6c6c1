// Package environment says what the environments of a record are: what differs between
// them, what was tuned, and how true emulated devices were.
package environment
