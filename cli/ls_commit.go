package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// lsCommit lists what a commit names at or below the URL's path.
func (a *app) lsCommit(cmd *cobra.Command, p *place, o lsOptions) error {
	ctx := cmd.Context()
	folder, ref, err := a.resolveFor(ctx, p, o.at, o.folder, cmd.Flags().Changed("folder"), true)
	if err != nil {
		return err
	}
	rest, ok := within(folder, dirPrefix(p.path))
	if !ok && folder != strings.TrimSuffix(p.path, "/") {
		return usagef("%s is not in the folder %s", safe.Text(p.path), safe.Text(folder))
	}
	if own, _ := commit.FolderOf(p.path); own != folder {
		a.note("%s is of the log of %s", refText(ref), folderText(folder))
	}
	l := &lister{a: a, p: p, members: func(d *document) { d.member("at", refJSON(folder, ref)) }}
	err = l.commitFiles(ctx, p, folder, ref, rest, o.recursive)
	if l.named != nil && err == nil {
		key := commit.KeyPrefix(folder) + l.named.Path
		is, perr := present(ctx, p, key, *l.named)
		switch err = perr; {
		case err != nil:
		case !is.there:
			err = versionGone(p, folder, key, l.named.Version, is)
		case is.other != "":
			err = versionOther(key, is.other)
		}
	}
	if l.n == 0 && rest != "" && err == nil {
		err = noFileAt(folder, ref, strings.TrimSuffix(rest, "/"))
	}
	return l.finish(err)
}

// commitFiles lists the files of a commit whose path starts with rest (empty, or
// ends in "/"), and the file that is rest less its final slash. The stream is read
// to its end, since only then the commit's hash is known to hold.
func (l *lister) commitFiles(ctx context.Context, p *place, folder string, ref commit.Ref, rest string, recursive bool) error {
	level := lsItem{} // the folder whose files are going by
	var files, bytes int64
	known := true
	flush := func() error {
		if level.Name == "" {
			return nil
		}
		item := level
		item.Files, item.Size = &files, numberOrNull(bytes, known)
		err := l.add(item)
		level, files, bytes, known = lsItem{}, 0, 0, true
		return err
	}
	for f, err := range filesOf(ctx, p, folder, ref) {
		if err != nil {
			return err
		}
		name, under := strings.CutPrefix(f.Path, rest)
		if !under {
			if f.Path+"/" != rest {
				continue
			}
			name = f.Path // the URL names this file
			l.named = &f
		}
		dir, _, deeper := strings.Cut(name, "/")
		if deeper && under && !recursive {
			if dir+"/" != level.Name {
				if err := flush(); err != nil {
					return err
				}
				level = lsItem{Type: "folder", Name: dir + "/", Key: commit.KeyPrefix(folder) + rest + dir + "/"}
			}
			files++
			if f.Size < 0 {
				known = false
			} else {
				bytes += f.Size
			}
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if name == "" {
			name = "./"
		}
		if err := l.add(lsItem{Type: "file", Name: name, Key: commit.KeyPrefix(folder) + f.Path, Version: &f.Version,
			ETag: orNull(f.ETag), Size: numberOrNull(f.Size, f.Size >= 0)}); err != nil {
			return err
		}
	}
	return flush()
}

// resolveFor finds the commit that --at and --folder mean for a path. Without
// --folder it is that of the nearest enclosing folder whose log has the REF.
func (a *app) resolveFor(ctx context.Context, p *place, at, folder string, chosen, self bool) (string, commit.Ref, error) {
	if chosen {
		f, err := commit.FolderOf(folder)
		if err != nil {
			return "", commit.Ref{}, err
		}
		r, err := resolve(ctx, p, f, at)
		return f, r, err
	}
	return resolveUp(ctx, p, enclosing(p.path, self), at)
}
