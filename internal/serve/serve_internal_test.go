package serve

import (
	"maps"
	"runtime"
	"testing"

	"terraform-provider-opsmanager/internal/provider"
)

func TestSDKDoesNotLogUnlessALevelIsSet(t *testing.T) {
	t.Parallel()
	quiet := map[string]string{"TF_LOG_SDK": "ERROR", "TF_LOG_SDK_PROTO": "ERROR", "TF_LOG_SDK_FRAMEWORK": "ERROR"}
	for _, test := range []struct{ set, want map[string]string }{
		{set: nil, want: quiet},
		{set: map[string]string{"TF_LOG_CORE": "TRACE", "PATH": "/bin"}, want: quiet},
		{set: map[string]string{"TF_LOG": ""}, want: quiet},
		{set: map[string]string{"TF_LOG": "INFO"}},
		{set: map[string]string{"TF_LOG_PROVIDER": "TRACE"}},
		{set: map[string]string{"TF_LOG_SDK": "DEBUG"}},
		{set: map[string]string{"TF_LOG_SDK_PROTO": "DEBUG"}},
		{set: map[string]string{"TF_LOG_SDK_FRAMEWORK": "DEBUG"}},
	} {
		got := map[string]string{}
		is, err := quietSDK(func(name string) string { return test.set[name] }, func(name, value string) error {
			got[name] = value
			return nil
		})
		if err != nil || is != (test.want != nil) || !maps.Equal(got, test.want) {
			t.Errorf("with %v: set %v, quiet %t, %v; want %v", test.set, got, is, err, test.want)
		}
	}
}

func TestServerIsUnloggedIfTheSDKIsQuiet(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{true, false} {
		if server, _ := newServer(provider.New("test")(), quiet).(printable); server.isUnlogged != quiet {
			t.Errorf("quiet %t: without loggers %t", quiet, server.isUnlogged)
		}
	}
}

func TestHeadroomPutsOffCollections(t *testing.T) {
	t.Parallel()
	next := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.NextGC
	}
	err := withHeadroom(func() error {
		if got := next(); got < 2*headroom {
			t.Errorf("the next collection begins at %d bytes", got)
		}
		return nil
	})
	if got := next(); err != nil || got >= 2*headroom {
		t.Errorf("after that, at %d bytes; %v", got, err)
	}
}
