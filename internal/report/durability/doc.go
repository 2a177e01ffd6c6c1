// Package durability reports which acknowledged writes the environments kept after a kill or a
// power cut: a sentence for each, and a table of all.
package durability
