package change

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/tf"
)

// Showing returns the change of an adoption, from whose plan nothing reaches the apply but what it has shown to overwrite.
// now returns those texts, by value, as a plan would show them now. So the plan saw the values of a live object whose text is
// the same.
func (w Write[T]) Showing(overwrites types.Object, now func(live T) map[string]string) Write[T] {
	shown := func(value string) string {
		return tf.As[types.String](overwrites.Attributes(), value).ValueString()
	}
	w.Saw = func(live T) T {
		texts := now(live)
		return w.Values.only(live, func(v Value[T]) bool { return texts[v.Name] == shown(v.Name) })
	}
	w.Showed = func(value string, step Step[T]) string {
		v := w.Values.named(value)
		held := tf.Overwritten(shown(value))
		switch {
		case !v.isMissing(step.Saw):
			return v.Text(step.Saw)
		case held == "":
			return "no change of it"
		case held == tf.NotReturned:
			return ""
		}
		return held
	}
	return w
}
