package tfmodel_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Messages show the beginning of a long list only.
func TestChangeAtTheEndOfALongListIsAConflict(t *testing.T) {
	t.Parallel()
	type object struct{ namespaces *[]string }
	fields := tfmodel.Fields[object]{tfmodel.TextsField("namespaces", func(o *object) **[]string { return &o.namespaces })}
	var before []string
	for i := range 60 {
		before = append(before, fmt.Sprintf("database_number_%03d.collection_of_things_%03d", i, i))
	}
	with := func(last string) object {
		all := append(before[:len(before):len(before)], last)
		return object{&all}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer server.Close()
	base, err := opsmanager.ParseBaseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := opsmanager.NewClient(opsmanager.Config{BaseURL: base, PublicKey: "public", PrivateKey: "private", MaxRetries: 2, RetryWaitMin: time.Millisecond, RetryWaitMax: time.Millisecond})
	sent := 0
	_, err = tfmodel.Request[object]{
		Name: "The list", Before: object{&before},
		Read: func(context.Context) (*object, error) {
			changed := with("of.others")
			return &changed, nil
		},
		Differences: func(live object) []tfmodel.Difference { return fields.Differences(with("wanted"), live) },
		Send: func(ctx context.Context, _ object) (*object, error) {
			sent++
			return nil, client.DeleteDeploymentRegion(ctx, "NY")
		},
	}.Do(t.Context(), client)
	if sent != 1 || err == nil || !strings.Contains(err.Error(), "changed during the apply") {
		t.Errorf("sent %d times: %v", sent, err)
	}
}
