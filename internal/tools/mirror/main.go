// Command mirror packs binaries of the provider into a directory of a mirror, in the layout of terraform providers mirror.
// Terraform and OpenTofu install from it as a filesystem mirror, and as a network mirror if a web server has it.
//
// Source: https://developer.hashicorp.com/terraform/internals/provider-network-mirror-protocol
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	m := mirror{}
	flag.StringVar(&m.dir, "dir", "", "the directory of the provider in the mirror, whose end is its source address")
	flag.StringVar(&m.version, "version", "", "the version of the provider")
	flag.Parse()
	for _, argument := range flag.Args() {
		platform, binary, _ := strings.Cut(argument, "=")
		path, err := m.add(platform, binary)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("Packed " + path)
	}
}

// mirror is a version of the provider in a mirror.
type mirror struct{ dir, version string }

// index is the document with the versions of a provider.
type index struct {
	Versions map[string]struct{} `json:"versions"`
}

// release is the document with the archives of a version, by platform, such as linux_amd64.
type release struct {
	Archives map[string]archive `json:"archives"`
}

// archive is where an archive is, relative to the document, and its checksums, of which one has to fit.
type archive struct {
	URL    string   `json:"url"`
	Hashes []string `json:"hashes"`
}

// add packs a binary for a platform, and returns the path of the archive. What the mirror has already stays.
func (m mirror) add(platform, binary string) (path string, err error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return "", err
	}
	packed, err := pack("terraform-provider-opsmanager_v"+m.version+filepath.Ext(binary), content)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(packed)
	one := archive{
		URL:    fmt.Sprintf("terraform-provider-opsmanager_%s_%s.zip", m.version, platform),
		Hashes: []string{"zh:" + hex.EncodeToString(sum[:])},
	}
	path = filepath.Join(m.dir, one.URL)
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(path, packed, 0o644); err != nil {
		return "", err
	}
	versions := index{Versions: map[string]struct{}{}}
	archives := release{Archives: map[string]archive{}}
	return path, errors.Join(
		update(filepath.Join(m.dir, "index.json"), &versions, func() { versions.Versions[m.version] = struct{}{} }),
		update(filepath.Join(m.dir, m.version+".json"), &archives, func() { archives.Archives[platform] = one }),
	)
}

// pack returns an archive of an executable. It has no time, so the same content makes the same archive.
func pack(name string, content []byte) ([]byte, error) {
	var packed bytes.Buffer
	writer := zip.NewWriter(&packed)
	header := &zip.FileHeader{Name: name, Method: zip.Deflate}
	header.SetMode(0o755)
	file, err := writer.CreateHeader(header)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(content); err != nil {
		return nil, err
	}
	err = writer.Close()
	return packed.Bytes(), err
}

// update changes a JSON document, which may not exist yet.
func update(path string, document any, change func()) error {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(text, document); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	change()
	text, err = json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
