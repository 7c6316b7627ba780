//go:build linux

package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// start compares the time from the start of a provider to its schema. Terraform waits
// for that several times in each command.
func (b *bench) start(ctx context.Context) error {
	var sizes [2]int
	start := func(i int, binary string) func() (usage, error) {
		return func() (took usage, err error) {
			sizes[i], took, err = schemaSize(ctx, binary)
			return took, err
		}
	}
	took, err := inTurns(b.starts, start(0, b.stage.idle), start(1, b.stage.ours))
	if err != nil {
		return err
	}
	if sizes[0] != sizes[1] {
		return fmt.Errorf("the providers have different schemas: %d and %d bytes", sizes[0], sizes[1])
	}
	b.show(row{
		work: "start until the schema is answered", latency: 0,
		comparedWith: idleProvider, format: "%.3g ms",
		theirs: took[0][wallTime] * 1000, ours: took[1][wallTime] * 1000, most: 1.1,
	})
	return nil
}

// schemaSize starts a provider as Terraform does, and returns the size of its schema.
// The time does not include the stop.
func schemaSize(ctx context.Context, binary string) (size int, took usage, err error) {
	started := time.Now()
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: plugin.HandshakeConfig{
			ProtocolVersion: 6, MagicCookieKey: "TF_PLUGIN_MAGIC_COOKIE",
			MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		},
		VersionedPlugins: map[int]plugin.PluginSet{6: {}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Cmd:              exec.CommandContext(ctx, binary),
		AutoMTLS:         true,
		Logger:           hclog.NewNullLogger(),
	})
	defer client.Kill()
	protocol, err := client.Client()
	if err != nil {
		return 0, took, err
	}
	provider := protocol.(*plugin.GRPCClient) //nolint:forcetypeassert // the only allowed protocol
	// A message without fields keeps the response as bytes.
	answer := new(emptypb.Empty)
	err = provider.Conn.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", new(emptypb.Empty), answer)
	took[wallTime] = time.Since(started).Seconds()
	return proto.Size(answer), took, err
}
