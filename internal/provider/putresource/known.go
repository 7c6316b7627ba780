package putresource

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// known is what the private state has: what is known of how Ops Manager returns an object.
type known struct {
	Returned []string    `json:"returned,omitempty"` // the fields that Ops Manager has ever returned
	Secrets  tf.ReadBack `json:"secrets,omitzero"`
}

const knownKey = "known"

func readKnown(ctx context.Context, private tf.PrivateState, diags *diag.Diagnostics) (k known) {
	tf.ReadPrivate(ctx, private, knownKey, &k, diags)
	return k
}

func (k known) wasReturned(attribute string) bool { return slices.Contains(k.Returned, attribute) }

// noteReturned adds the fields of a response to those that Ops Manager has ever returned.
func (t *target[T]) noteReturned(response T) {
	for _, f := range t.Fields {
		if !f.IsMissing(response) && !t.known.wasReturned(f.Attribute) {
			t.known.Returned = append(t.known.Returned, f.Attribute)
		}
	}
}

// shown returns the secrets of an object as a response has them, by attribute.
func (t *Type[T]) shown(object T) map[string]string {
	found := map[string]string{}
	for _, s := range t.Secrets {
		if text := *s.At(&object); text != nil {
			found[s.Attribute] = *text
		}
	}
	for _, f := range t.Fields {
		if f.IsMasked(object) {
			found[f.Attribute] = t.Hidden.Text(object)
		}
	}
	return found
}

// storeKnown stores which fields Ops Manager returns, and how it returned the secrets in a read after a write.
func (t *target[T]) storeKnown(ctx context.Context, private tf.PrivateState, done result[T], diags *diag.Diagnostics) {
	t.noteReturned(done.Returned)
	now := known{Returned: t.known.Returned}
	if len(t.Secrets) > 0 {
		whole := t.whole(done.Live)
		shown := t.shown(done.Returned)
		sent := t.shown(whole)
		if t.Hidden != nil {
			sent[t.Hidden.Attribute] = t.Hidden.Text(whole)
		}
		t.mistrust(shown, sent, done) // does nothing after a creation, before which there were none
		for _, s := range t.Secrets {
			_, isShown := shown[s.Attribute]
			if text := *s.At(&t.planned); text != nil && *text == "" && !isShown {
				shown[s.Attribute] = "" // if there is one later, another client has set it
			}
		}
		now.Secrets = tf.NewReadBack(shown, sent)
		for attribute, text := range shown {
			if t.known.Secrets.IsClear(attribute, text) { // and was not taken
				now.Secrets.Clear[attribute] = true
			}
		}
	}
	tf.WritePrivate(ctx, private, knownKey, now, diags)
}

// mistrust looks for secrets that another client may have changed after an update: the response showed what was sent, and
// the read after it neither that nor what was there before. What is stored is then that of the response, so the next plan sets
// it again. A mask that each response has in another form says nothing. A secret that stays as it was is an error of check.
func (t *target[T]) mistrust(shown, sent map[string]string, done result[T]) {
	responded := t.shown(done.Response)
	for attribute, was := range t.shown(done.Live) {
		read, isRead := shown[attribute]
		text, isShown := responded[attribute]
		switch {
		case !isShown, !isRead, read == was, read == text, opsmanager.CouldShow(read, sent[attribute]):
		case opsmanager.CouldShow(text, sent[attribute]):
			shown[attribute] = text
		default:
			delete(shown, attribute)
		}
	}
}
