package report

import "plinth/internal/prose"

// What reports are made of.
type (
	document  = prose.Document
	block     = prose.Block
	heading   = prose.Heading
	paragraph = prose.Paragraph
	list      = prose.List
	command   = prose.Command
	wordTable = prose.WordTable
	factTable = prose.FactTable

	// Table is rows and columns.
	Table = prose.Table
	// Column is the head of one.
	Column = prose.Column
)
