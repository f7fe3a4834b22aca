package ui

import (
	"context"
	"embed"
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// A Look is what a stretch of a text is in its language; CodeLine shows it.
type Look uint8

// The looks of texts.
const (
	Bare    Look = iota
	Keyword      // words of the language
	Name         // names of members, tags, functions
	String       // what stands in quotes
	Number       // and true, false, null
	Comment
	lookKinds
)

// A Stretch of a line: what comes before byte To and after the stretch before it.
type Stretch struct {
	To   int32
	Look Look
}

// The lexers are those of Chroma, but for Go's and Markdown's, which are smaller.
// Chroma's own package of them would read all of them at each start.
//
//go:embed lexers/*.xml
var lexerFiles embed.FS

// languages are the files of the lexers by what a file's name ends in, or is.
var languages = map[string]string{
	"json": "json", "jsonl": "json", "ndjson": "json", "geojson": "json", "ipynb": "json", "avsc": "json",
	"yaml": "yaml", "yml": "yaml", "sql": "sql", "py": "python", "pyi": "python", "go": "go",
	"sh": "bash", "bash": "bash", "zsh": "bash", "ksh": "bash", "env": "bash",
	"toml": "toml", "xml": "xml", "svg": "xml", "xsd": "xml", "plist": "xml", "html": "html", "htm": "html",
	"md": "markdown", "markdown": "markdown", "ini": "ini", "cfg": "ini", "conf": "ini", "properties": "ini",
	"r": "r", "scala": "scala", "sc": "scala", "java": "java", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript",
	"ts": "typescript", "tsx": "typescript", "tf": "terraform", "tfvars": "terraform", "hcl": "terraform", "css": "css",
	"rs": "rust", "c": "c", "h": "c", "proto": "protocol_buffer", "diff": "diff", "patch": "diff",
	"dockerfile": "docker", "makefile": "makefile", "mk": "makefile",
}

// Language is that of a file by its name, or by the #! at its start; empty: none that
// is known here.
func Language(name, text string) string {
	name = strings.ToLower(path.Base(name))
	if l := languages[name[strings.LastIndexByte(name, '.')+1:]]; l != "" {
		return l
	}
	line, _, _ := strings.Cut(text[:min(len(text), 200)], "\n")
	if !strings.HasPrefix(line, "#!") {
		return ""
	}
	switch {
	case strings.Contains(line, "python"):
		return "python"
	case strings.Contains(line, "node"):
		return "javascript"
	case strings.Contains(line, "Rscript"):
		return "r"
	case strings.HasSuffix(strings.Fields(line + " x")[0], "sh"), strings.HasSuffix(line, "sh"):
		return "bash"
	}
	return ""
}

// lexers reads the heads of all lexers once; of each the rules are read when it is
// first used.
var lexers = sync.OnceValue(func() map[string]chroma.Lexer {
	files, err := lexerFiles.ReadDir("lexers")
	if err != nil {
		return nil
	}
	all := chroma.NewLexerRegistry() // a lexer may use another one
	out := map[string]chroma.Lexer{}
	for _, f := range files {
		if l, err := chroma.NewXMLLexer(lexerFiles, "lexers/"+f.Name()); err == nil {
			out[strings.TrimSuffix(f.Name(), ".xml")] = all.Register(l)
		}
	}
	return out
})

// Colours gives the looks of a text in a language, line by line. It stops at the end of
// ctx: lines that it did not come to are Bare, as all are in a language that is not
// known. Unlike the rest of this package it may be called from any goroutine.
func Colours(ctx context.Context, language, text string) [][]Stretch {
	if language == "" {
		return nil
	}
	lexer := lexers()[language]
	if lexer == nil {
		return nil
	}
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return nil
	}
	var out [][]Stretch
	var line []Stretch
	at := 0 // in the line
	put := func(n int, l Look) {
		if n == 0 {
			return
		}
		at += n
		if k := len(line); k > 0 && line[k-1].Look == l {
			line[k-1].To = int32(at)
		} else {
			line = append(line, Stretch{int32(at), l})
		}
	}
	for tok := next(); tok != chroma.EOF && ctx.Err() == nil; tok = next() {
		// A lexer may change what it read (a newline at the end, another for CRLF):
		// from there on its tokens have no place in the text.
		if !strings.HasPrefix(text, tok.Value) {
			break
		}
		text = text[len(tok.Value):]
		l := lookOf(tok.Type)
		for rest := tok.Value; ; {
			piece, more, newline := strings.Cut(rest, "\n")
			put(len(piece), l)
			if !newline {
				break
			}
			out, line, at = append(out, line), nil, 0
			rest = more
		}
	}
	return append(out, line)
}

func lookOf(t chroma.TokenType) Look {
	switch {
	case t == chroma.KeywordConstant, t.InSubCategory(chroma.LiteralNumber), t == chroma.LiteralDate:
		return Number
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord, t == chroma.GenericHeading, t == chroma.GenericSubheading:
		return Keyword
	case t.InCategory(chroma.Comment), t == chroma.GenericDeleted:
		return Comment
	case t.InSubCategory(chroma.LiteralString), t == chroma.GenericInserted:
		return String
	case t == chroma.NameTag, t == chroma.NameAttribute, t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameDecorator, t == chroma.NameKeyword, t == chroma.NameProperty, t == chroma.NameNamespace:
		return Name
	case t == chroma.NameBuiltin, t == chroma.NameBuiltinPseudo:
		return Keyword
	}
	return Bare
}
