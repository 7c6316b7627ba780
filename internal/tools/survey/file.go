package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeFile writes a file completely, or not at all: it writes beside the target and renames. Until
// then, only the owner can read it.
func writeFile(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	if err := errors.Join(write(file), file.Chmod(mode), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

var errSameFile = errors.New("-report and -copy name the same file: the report is made to be shared, and the copy has names")

// isSameFile reports whether two paths lead to one file, which may not exist yet. Names that differ only in
// their case may be one.
func isSameFile(one, other string) bool {
	one = followed(one)
	other = followed(other)
	same := func(one, other string) bool {
		first, err := os.Stat(one)
		second, failed := os.Stat(other)
		return err == nil && failed == nil && os.SameFile(first, second)
	}
	return same(one, other) || strings.EqualFold(filepath.Base(one), filepath.Base(other)) && same(filepath.Dir(one), filepath.Dir(other))
}

// followed returns what a link leads to, which may not exist.
func followed(path string) string {
	const most = 40
	for range most {
		target, err := os.Readlink(path)
		switch {
		case err != nil:
			return path
		case filepath.IsAbs(target):
			path = target
		default:
			path = filepath.Join(filepath.Dir(path), target)
		}
	}
	return path
}
