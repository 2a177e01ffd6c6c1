// Package report makes tables of a record. Everything it prints comes from the
// record alone, so that it can be made again from an old one. The numbers are
// gathered once (Show); each format only renders them.
package report
