// Package script splits an SQL script into its statements.
package script

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
)

// Statement is one SQL statement of a script.
type Statement struct {
	Text string
	line int // of the script, from 1, where Text begins
}

// LineOf returns the line of the script that an error of the statement refers to.
func (s Statement) LineOf(err error) int {
	var server *pgconn.PgError
	if !errors.As(err, &server) || server.Position == 0 {
		return s.line
	}
	text := s.Text
	for position := 1; position < int(server.Position) && text != ""; position++ { // in characters
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return s.line + strings.Count(s.Text[:len(s.Text)-len(text)], "\n")
}

// blank holds the characters that separate words.
const blank = " \t\n\r\v\f"

// Split splits a script into its statements, so that each is a separate transaction: sent
// together they would be one, in which VACUUM and others can't run. A semicolon in a string, a
// quoted name, a comment, a dollar-quoted body or parentheses does not end a statement. (The
// new-style body BEGIN ATOMIC is not recognised.)
func Split(script string) (statements []Statement) {
	start, depth, blankSoFar := 0, 0, true
	for at := 0; at < len(script); {
		next := skipToken(script, at)
		token := script[at:next]
		switch {
		case token == ";" && depth <= 0:
			if !blankSoFar {
				statements = append(statements, newStatement(script, start, at))
			}
			start, depth, blankSoFar = next, 0, true
		case token == "(":
			depth++
		case token == ")":
			depth--
		}
		isComment := strings.HasPrefix(token, "--") || strings.HasPrefix(token, "/*")
		if token != ";" && !isComment && strings.Trim(token, blank) != "" {
			if blankSoFar {
				start = at // comments before a statement are not part of it
			}
			blankSoFar = false
		}
		at = next
	}
	if !blankSoFar {
		statements = append(statements, newStatement(script, start, len(script)))
	}
	return statements
}

func newStatement(script string, start, end int) Statement {
	return Statement{Text: strings.TrimRight(script[start:end], blank), line: 1 + strings.Count(script[:start], "\n")}
}

// skipToken returns the end of the token at a position: a comment, a string, a dollar-quoted
// body, a word, or else one byte.
func skipToken(s string, at int) int {
	rest := s[at:]
	switch {
	case strings.HasPrefix(rest, "--"):
		return at + until(rest, "\n", 2)
	case strings.HasPrefix(rest, "/*"):
		return at + skipComment(rest)
	case rest[0] == '\'':
		return at + until(rest, "'", 1) // a doubled quote makes two adjacent strings
	case rest[0] == '"':
		return at + until(rest, `"`, 1)
	case rest[0] == '$':
		if end := 1 + wordLength(rest[1:], ""); end < len(rest) && rest[end] == '$' {
			return at + until(rest, rest[:end+1], end+1)
		}
	case (rest[0] == 'E' || rest[0] == 'e') && strings.HasPrefix(rest[1:], "'"):
		return at + skipEscapeString(rest)
	}
	return at + max(1, wordLength(rest, "$"))
}

// until returns the end of the first occurrence of end at or after from, or the length of s.
func until(s, end string, from int) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}

// skipComment returns the length of the comment at the start of s; comments nest.
func skipComment(s string) int {
	depth := 0
	for at := 0; at+1 < len(s); at++ {
		switch s[at : at+2] {
		case "/*":
			depth++
			at++
		case "*/":
			depth--
			at++
			if depth == 0 {
				return at + 1
			}
		}
	}
	return len(s)
}

// skipEscapeString returns the length of the E'…' string at the start of s.
func skipEscapeString(s string) int {
	for at := 2; at < len(s); at++ {
		switch s[at] {
		case '\\':
			at++
		case '\'':
			return at + 1
		}
	}
	return len(s)
}

// wordLength returns how many bytes at the start of s are a name. As in SQL, a name may contain
// digits but not start with one; bytes beyond ASCII are letters. A name may also contain a dollar
// sign, but the tag of a dollar-quoted body may not.
func wordLength(s, also string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z'
		digit := i > 0 && ('0' <= c && c <= '9' || strings.IndexByte(also, c) >= 0)
		if !letter && !digit {
			return i
		}
	}
	return len(s)
}
