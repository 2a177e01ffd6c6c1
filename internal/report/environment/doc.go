// Package environment describes the environments of a record: their differences, their tuning,
// and the accuracy of emulated devices.
package environment
