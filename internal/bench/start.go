package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// start compares how long it takes from starting a provider to its answered
// schema, which Terraform waits for several times in each command.
func (b *bench) start(ctx context.Context) error {
	sizes := make([]int, 2)
	start := func(i int, binary string) func() (usage, error) {
		return func() (took usage, err error) {
			runtime.GC()
			sizes[i], took.wall, err = schemaSize(ctx, binary)
			return took, err
		}
	}
	took, err := inTurns(b.starts, start(0, b.stage.idle), start(1, b.stage.ours))
	if err != nil {
		return err
	}
	if sizes[0] != sizes[1] {
		return fmt.Errorf("the providers differ in their schemas: %d and %d bytes", sizes[0], sizes[1])
	}
	b.show(row{"start to answered schema", 0, idleProvider, milliseconds(took[0].wall), milliseconds(took[1].wall), ratio(took[1].wall, took[0].wall), 1.1})
	return nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.3g ms", d.Seconds()*1000) }

// schemaSize starts a provider as Terraform does, and asks for its schema. It
// returns how large that is and how long it took to come, the stop aside.
func schemaSize(ctx context.Context, binary string) (size int, took time.Duration, err error) {
	started := time.Now()
	command := exec.CommandContext(ctx, binary)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") {
			command.Env = append(command.Env, variable)
		}
	}
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: plugin.HandshakeConfig{
			ProtocolVersion: 6, MagicCookieKey: "TF_PLUGIN_MAGIC_COOKIE",
			MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		},
		VersionedPlugins: map[int]plugin.PluginSet{6: {"provider": connection{}}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Cmd:              command, AutoMTLS: true, SkipHostEnv: true,
		Logger: hclog.NewNullLogger(),
	})
	defer client.Kill()
	protocol, err := client.Client()
	if err != nil {
		return 0, 0, err
	}
	dispensed, err := protocol.Dispense("provider")
	if err != nil {
		return 0, 0, err
	}
	provider, ok := dispensed.(grpc.ClientConnInterface)
	if !ok {
		return 0, 0, fmt.Errorf("the plugin is a %T", dispensed)
	}
	// Read as a message without fields, an answer is kept as bytes.
	answer := new(emptypb.Empty)
	err = provider.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", new(emptypb.Empty), answer)
	return proto.Size(answer), time.Since(started), err
}

// connection is a plugin that is used by its bare connection.
type connection struct{ plugin.NetRPCUnsupportedPlugin }

func (connection) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return nil }

func (connection) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}
