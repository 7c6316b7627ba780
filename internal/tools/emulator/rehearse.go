package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/emulator"
)

// rehearsal prepares a rehearsal of the configuration in a folder.
type rehearsal struct {
	folder, copy string
	terraform    string // command of Terraform or OpenTofu
	logs         io.Writer
}

// The files of a rehearsal.
const (
	rehearsalState    = "rehearsal.tfstate"
	rehearsalOverride = "rehearsal_override.tf"
)

// override is formatted with the address and the key pair of the emulator.
const override = `terraform {
  backend "local" {
    path = "` + rehearsalState + `"
  }
}

provider "opsmanager" {
  base_url    = "http://%s"
  public_key  = "%s"
  private_key = "%s"
}
`

// rehearse prepares a rehearsal: a copy of the folder beside it, with a copy of the state and an override file that
// leads to the emulator. The folder and its state stay as they are.
func rehearse(ctx context.Context, c config, out, logs io.Writer) (err error) {
	r := rehearsal{folder: c.rehearse, logs: logs}
	inHome, ok := strings.CutPrefix(filepath.ToSlash(r.folder), "~/")
	if ok { // make and PowerShell may not have expanded it
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		r.folder = filepath.Join(home, inHome)
	}
	if r.folder, err = filepath.Abs(r.folder); err != nil {
		return err
	}
	if _, err := os.Stat(r.folder); err != nil {
		return err
	}
	if r.terraform, err = findTerraform(c.terraform); err != nil {
		return err
	}
	r.copy = r.folder + "-rehearsal"
	if err := os.Mkdir(r.copy, 0o700); err != nil {
		return fmt.Errorf("%w: if %s exists, delete it to begin again", err, r.copy)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(r.copy))
		}
	}()

	elsewhere := variablesOfOtherStates(os.Environ())
	if err := r.copyFolder(); err != nil {
		return fmt.Errorf("%s could not be copied completely: %w", r.folder, err)
	}
	// Not in the folder itself, because init would move a state in terraform.tfstate to the other backend.
	state, err := r.run(ctx, r.folder, nil, "state", "pull")
	if err != nil {
		return err
	}
	files := map[string]string{rehearsalOverride: fmt.Sprintf(override, c.addr, emulator.DefaultPublicKey, emulator.DefaultPrivateKey)}
	if len(state) > 0 {
		files[rehearsalState] = string(state)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(r.copy, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if _, err := r.run(ctx, r.copy, elsewhere, "init", "-input=false"); err != nil {
		return err
	}
	if !r.hasOwnState() {
		return fmt.Errorf("the state of the rehearsal would not be %s. Another override file in %s probably has a backend: move it away, and run this again", rehearsalState, r.folder)
	}
	fmt.Fprintf(out, "The rehearsal is in %s. In each shell, go there and run:\n\n%s%s", r.copy, unset(runtime.GOOS, elsewhere), export(runtime.GOOS, "OPSMANAGER_REHEARSAL", "1"))
	return nil
}

// findTerraform returns the path of a command, or of Terraform or OpenTofu.
func findTerraform(command string) (path string, err error) {
	names := []string{"terraform", "tofu"}
	if command != "" {
		names = []string{command}
	}
	for _, name := range names {
		if path, err = exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	if command == "" {
		return "", errors.New("neither terraform nor tofu is on the PATH")
	}
	return "", err
}

var (
	ownData    = regexp.MustCompile(`^TF_(?:DATA_DIR|WORKSPACE)=.`)
	statesArgs = regexp.MustCompile(`(?s)^TF_CLI_ARGS[A-Za-z_]*=.*-(?:state|back)`)
)

// variablesOfOtherStates returns the sorted names of the variables that lead Terraform to another state.
func variablesOfOtherStates(environ []string) []string {
	var names []string
	for _, variable := range environ {
		if ownData.MatchString(variable) || statesArgs.MatchString(variable) {
			name, _, _ := strings.Cut(variable, "=")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// copyFolder copies what the configuration consists of, without states, saved plans and the credentials that
// Terraform keeps in its data directory.
func (r rehearsal) copyFolder() error {
	folder, err := filepath.EvalSymlinks(r.folder)
	if err != nil {
		return err
	}
	data := os.Getenv("TF_DATA_DIR")
	if !filepath.IsAbs(data) {
		data = filepath.Join(folder, data)
	}
	if target, err := filepath.EvalSymlinks(data); err == nil {
		data = target
	}
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		to := filepath.Join(r.copy, name)
		switch {
		case name == ".":
			return nil
		case entry.Name() == ".terraform",
			path == data,
			name == ".git",
			strings.HasPrefix(name, "terraform.tfstate"),
			name == rehearsalState,
			name == rehearsalOverride:
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return os.Mkdir(to, 0o700)
		case entry.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, to)
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is no file", path)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		isPlan := bytes.HasPrefix(text, []byte("PK")) && bytes.Contains(text, []byte("tfplan"))
		if err != nil || isPlan { // a ZIP file
			return err
		}
		return os.WriteFile(to, text, info.Mode().Perm()&0o700)
	})
}

// run runs Terraform in a folder, without some variables, and returns what it prints.
func (r rehearsal) run(ctx context.Context, folder string, without []string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, r.terraform, args...)
	command.Dir = folder
	command.Stderr = r.logs
	command.Env = append(command.Environ(), "OPSMANAGER_REHEARSAL=1")
	command.Env = slices.DeleteFunc(command.Env, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(without, name)
	})
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s in %s: %w", filepath.Base(r.terraform), strings.Join(args, " "), folder, err)
	}
	return out, nil
}

// hasOwnState reports whether init has chosen the state of the rehearsal. Another override file may have a
// backend, too.
func (r rehearsal) hasOwnState() bool {
	var chosen struct {
		Backend struct {
			Type   string
			Config struct{ Path string }
		}
	}
	text, err := os.ReadFile(filepath.Join(r.copy, ".terraform", "terraform.tfstate"))
	isRead := err == nil && json.Unmarshal(text, &chosen) == nil
	return isRead && chosen.Backend.Type == "local" && chosen.Backend.Config.Path == rehearsalState
}

// export returns the line that sets an environment variable in the shell of an operating system.
func export(goos, name, value string) string {
	if goos == "windows" {
		return "$env:" + name + " = '" + strings.ReplaceAll(value, "'", "''") + "'\n"
	}
	return "export " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n"
}

// unset returns the line that removes environment variables in the shell of an operating system, if there are any.
func unset(goos string, names []string) string {
	switch {
	case len(names) == 0:
		return ""
	case goos == "windows":
		return "Remove-Item Env:" + strings.Join(names, ", Env:") + "\n"
	}
	return "unset " + strings.Join(names, " ") + "\n"
}
