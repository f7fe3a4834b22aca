package views

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
	"provcat-tui/internal/safe"
	"provcat-tui/internal/whole"
	"provcat-tui/ui"
)

func (s *auditScreen) canExport() (bool, string) {
	if s.report == nil {
		return false, "there is no report yet"
	}
	return true, ""
}

// askExport opens the form: a format and a file.
func (s *auditScreen) askExport() action {
	base := exportName(bucketName(s.loc), s.folder)
	formats := &ui.Choice{}
	for _, f := range report.Formats {
		formats.Options = append(formats.Options, ui.Option{Name: f.Name, About: f.About})
	}
	suggested := base + report.Formats[0].Extension
	file := ui.NewInput(suggested, 4096)
	text := "Writes the report to a file on this machine."
	if dir, err := os.Getwd(); err == nil {
		text += " A name without a folder is in " + dir + "."
	}
	form := ui.NewForm("Export the report", text, "Write",
		ui.Field{Label: "Format", Choice: formats}, ui.Field{Label: "File", Input: file})
	form.Asks = true // nothing that is there is replaced without asking once more
	form.Changed = func(*ui.Form) {
		// The name follows the format until the person writes another.
		if f, ok := report.FormatNamed(formats.Chosen().Name); ok && file.Value() == suggested {
			suggested = base + f.Extension
			file.Set(suggested)
		}
	}
	return s.exportForm(form)
}

func (s *auditScreen) exportForm(form *ui.Form) action {
	return ask{form: form, yes: func(form *ui.Form) action { return s.export(form, false) }}
}

// exportName is a name for the file of a report: letters, digits, dots and dashes.
func exportName(bucket, folder string) string {
	name := "audit-" + bucket
	if folder != "" {
		name += "-" + folder
	}
	var b strings.Builder
	for _, r := range name {
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '.' || r == '_':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 80 {
			break
		}
	}
	return strings.Trim(b.String(), "-.")
}

// exportPath is the file that a person means; wrong says why it is none.
func exportPath(typed string) (path, wrong string) {
	path = strings.TrimSpace(typed)
	if path == "" {
		return "", "A file name is needed."
	}
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
		return "", "The name has characters that cannot be seen; write it anew."
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	return path, ""
}

// export writes the report aside. over: the person was asked and wants what is there
// replaced.
func (s *auditScreen) export(form *ui.Form, over bool) action {
	again := func(text string) action {
		form.Error = text
		form.Focus(1) // the file's name
		return s.exportForm(form)
	}
	f, ok := report.FormatNamed(form.Fields[0].Choice.Chosen().Name)
	path, wrong := exportPath(form.Fields[1].Input.Value())
	switch {
	case !ok:
		return again("Choose a format.")
	case wrong != "":
		return again(wrong)
	}
	form.Error = ""
	r := s.report
	var written int64
	return begin{load("export", "Writing "+path, func(context.Context, func(struct{})) (err error) {
		written, err = writeReport(path, f, r, over)
		return err
	}, nil, func(err error) action {
		switch {
		case errors.Is(err, fs.ErrExist):
			return s.askOver(form, path)
		case err != nil:
			return again(err.Error())
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		return note{ui.Good, fmt.Sprintf("Wrote %s (%s, %s).", path, f.Name, size(written))}
	})}
}

// askOver asks before a file is replaced; no goes back to the form.
func (s *auditScreen) askOver(form *ui.Form, path string) action {
	return ask{
		form: ui.NewForm("Replace the file?", path+" is there already. What is in it will be lost.", "Replace"),
		yes:  func(*ui.Form) action { return s.export(form, true) },
		no:   func() action { return s.exportForm(form) },
	}
}

// writeReport writes a file as a whole or not at all. An error that is fs.ErrExist
// says that there is one.
func writeReport(path string, f report.Format, r *audit.Report, over bool) (n int64, err error) {
	failed := func(err error) error {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return fmt.Errorf("write the report to %s: %w", safe.Text(path), err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return 0, fmt.Errorf("write the report to %s: that is a folder or no plain file; choose another name", safe.Text(path))
	}
	write := func(out *os.File) error {
		w := bufio.NewWriter(out)
		if err := f.Write(w, r); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		n, err = out.Seek(0, 1)
		return err
	}
	if over {
		err = whole.Replace(path, 0o644, write)
	} else {
		err = whole.Create(path, 0o666, write)
	}
	if errors.Is(err, fs.ErrExist) {
		return 0, fs.ErrExist
	}
	if err != nil {
		return 0, failed(err)
	}
	return n, nil
}
