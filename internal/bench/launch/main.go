// Command launch stands where Terraform expects a provider: it runs the one
// that BENCH_PROVIDER names, and appends what that took to the file that
// BENCH_USAGE names.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Usage is what one run of a provider took.
type Usage struct {
	CPU     time.Duration
	PeakKiB int64 // of its resident memory
}

func main() {
	provider := exec.CommandContext(context.Background(), os.Getenv("BENCH_PROVIDER"), os.Args[1:]...)
	provider.Stdin, provider.Stdout, provider.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := provider.Run()
	if provider.ProcessState == nil {
		log.Fatal(err)
	}
	if err := report(provider.ProcessState); err != nil {
		log.Fatal(err)
	}
	os.Exit(provider.ProcessState.ExitCode())
}

func report(ended *os.ProcessState) error {
	rusage, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("this system does not tell what a process took")
	}
	peak := rusage.Maxrss
	if runtime.GOOS == "darwin" {
		peak /= 1024 // which alone counts bytes
	}
	file, err := os.OpenFile(os.Getenv("BENCH_USAGE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	return json.NewEncoder(file).Encode(Usage{CPU: ended.UserTime() + ended.SystemTime(), PeakKiB: peak})
}
