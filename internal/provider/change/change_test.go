package change_test

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// toy is an object with two numbers, of which Ops Manager may leave the second one out.
type toy struct{ Days, Hidden *int64 }

var (
	days   = tf.NumberField("days", func(o *toy) **int64 { return &o.Days })
	hidden = tf.NumberField("hidden", func(o *toy) **int64 { return &o.Hidden })
)

func valueOf(f tf.Field[toy], mayBeHidden bool) change.Value[toy] {
	text := func(o toy) string { return tf.Text(f.Literal(&o)) }
	return change.Value[toy]{Name: f.Attribute, Fields: tf.Fields[toy]{f}, Text: text, ReadsMayLack: mayBeHidden, ResponsesMayLack: mayBeHidden}
}

var (
	errChanged = errors.New("changed since the plan")
	errUnread  = errors.New("not read")
)

// service returns one object after the other to reads, and another one to the only request.
type service struct {
	reads    []toy
	response toy
	sent     []toy
}

func (s *service) write(saw, wanted toy) change.Write[toy] {
	return change.Write[toy]{
		Values: change.Values[toy]{valueOf(days, false), valueOf(hidden, true)},
		Saw:    func(toy) toy { return saw },
		Wanted: wanted,
		After: func(live, request toy) toy {
			return tf.Fields[toy]{days, hidden}.Complete(request, live)
		},
		RefuseDrift: func(_ change.Step[toy], drifts []change.Drift) error {
			if len(drifts) > 0 {
				return errChanged
			}
			return nil
		},
		Read: func(context.Context) (*toy, error) {
			next := s.reads[0]
			if len(s.reads) > 1 {
				s.reads = s.reads[1:]
			}
			return &next, nil
		},
		Send: func(_ context.Context, step change.Step[toy]) (*toy, error) {
			s.sent = append(s.sent, step.Request)
			return &s.response, nil
		},
	}
}

func TestWriteChangesOnlyWhatItsPlanSaw(t *testing.T) {
	t.Parallel()
	of := func(days int64) toy { return toy{Days: &days} }
	for name, test := range map[string]struct {
		saw, wanted   toy
		reads         []toy
		response      toy
		isRefused     bool
		sends         int
		notTaken, now string
		along         int
	}{
		"a value that is as the plan saw it":        {of(1), of(2), []toy{of(1)}, of(2), false, 1, "", "2", 0},
		"a value that another client changed":       {of(1), of(2), []toy{of(3)}, of(2), true, 0, "", "", 0},
		"a value that is no longer returned":        {of(1), of(2), []toy{{}}, of(2), true, 0, "", "", 0},
		"a value that was never returned":           {toy{}, of(2), []toy{{}, {}}, toy{}, false, 1, "days", "", 0},
		"a value that the plan saw as it is wanted": {of(2), of(2), []toy{of(2)}, toy{}, false, 0, "", "2", 0},
		"a value that may be that of an old read":   {of(1), of(2), []toy{of(2)}, of(2), false, 1, "", "2", 0},
		"a value that Ops Manager adjusts":          {of(1), of(2), []toy{of(1), of(5)}, of(5), false, 1, "days", "5", 0},
		"a response that lacks the value":           {of(1), of(2), []toy{of(1), of(2)}, toy{}, false, 1, "", "2", 0},
		"a value that no response may have":         {toy{}, toy{Hidden: new(int64(7))}, []toy{{}}, toy{}, false, 1, "", "", 0},
		"a value that changes along with the one that is sent": {
			of(1), of(2), []toy{{new(int64(1)), new(int64(4))}}, toy{new(int64(2)), new(int64(5))}, false, 1, "", "2", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{reads: test.reads, response: test.response}
			done, err := s.write(test.saw, test.wanted).Run(t.Context(), newClient(), opsmanager.ObjectSchedule)
			if isRefused := errors.Is(err, errChanged); isRefused != test.isRefused || len(s.sent) != test.sends {
				t.Fatalf("refused: %v, sent %v", err, s.sent)
			}
			notTaken := attributesOf(done.NotTaken)
			now := tf.Text(days.Literal(&done.Now))
			if notTaken != test.notTaken || now != test.now || len(done.ChangedAlong) != test.along {
				t.Errorf("not taken %q, now %q, along %v", notTaken, now, done.ChangedAlong)
			}
		})
	}
}

func TestReadProvesAStepOnlyIfItShowsTheNewValue(t *testing.T) {
	t.Parallel()
	of := func(days int64) toy { return toy{Days: &days} }
	w := new(service).write(of(1), of(2))
	step := w.Step(of(1))
	for name, test := range map[string]struct {
		held    toy
		isProof bool
	}{
		"the new value": {of(2), true},
		"the old value": {of(1), false},
		"no value":      {toy{}, false},
	} {
		if isProof := w.IsProof(step, test.held); isProof != test.isProof {
			t.Errorf("%s: %t", name, isProof)
		}
	}
}

// The service returns an error to a read that comes after those that it has.
func TestWriteReadsAgainWhereReadsMayLag(t *testing.T) {
	t.Parallel()
	of := func(days int64) toy { return toy{Days: &days} }
	for name, test := range map[string]struct {
		reads     []toy
		response  toy
		isRefused bool
		sends     int
		notTaken  string
		isUnread  bool
	}{
		"a difference that is an old value":        {[]toy{of(3), of(1), of(2)}, of(2), false, 1, "", false},
		"a difference that stays":                  {[]toy{of(3), of(3)}, of(2), true, 0, "", false},
		"a value that the response has":            {[]toy{of(1), of(2)}, of(2), false, 1, "", false},
		"a value that a later read has":            {[]toy{of(1), of(1), of(2)}, of(1), false, 1, "", false},
		"a value that only an old response has":    {[]toy{of(1), {}}, of(2), false, 1, "days", false},
		"a value that the response has, not read":  {[]toy{of(1)}, of(2), false, 1, "", true},
		"a value that no response has, not read":   {[]toy{of(1)}, of(1), false, 1, "days", true},
		"an old value that is wanted":              {[]toy{of(2), of(2)}, of(2), false, 1, "", false},
		"an old value that is wanted, never taken": {[]toy{of(2), of(1)}, of(1), false, 1, "days", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{response: test.response}
			w := s.write(of(1), of(2))
			w.Read = func(context.Context) (*toy, error) {
				if len(test.reads) == 0 {
					return nil, errUnread
				}
				next := test.reads[0]
				test.reads = test.reads[1:]
				return &next, nil
			}
			w.ReadsCount = true
			w.Settle = func(_ context.Context, read func() bool) {
				for range 5 {
					if read() {
						return
					}
				}
			}
			done, err := w.Run(t.Context(), newClient(), opsmanager.ObjectSchedule)
			if isRefused := errors.Is(err, errChanged); isRefused != test.isRefused || len(s.sent) != test.sends {
				t.Fatalf("refused: %v, sent %v", err, s.sent)
			}
			if got := attributesOf(done.NotTaken); got != test.notTaken || errors.Is(done.Unread, errUnread) != test.isUnread {
				t.Errorf("not taken %q, unread: %v", got, done.Unread)
			}
		})
	}
}

// Responses may leave the hidden number out if it is 0.
func TestWriteBelievesAnObjectThatMayHideAText(t *testing.T) {
	t.Parallel()
	of := func(hidden int64) toy { return toy{Hidden: &hidden} }
	for name, test := range map[string]struct {
		saw, wanted toy
		live        toy
		isRefused   bool
		notTaken    string
	}{
		"what it becomes":     {of(7), of(0), toy{}, false, ""},
		"what the plan saw":   {of(0), of(7), toy{}, false, "hidden"},
		"neither":             {of(7), of(8), toy{}, true, ""},
		"another one":         {of(0), of(7), of(5), true, ""},
		"what it becomes now": {of(7), of(0), of(7), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{reads: []toy{test.live, {}}}
			w := s.write(test.saw, test.wanted)
			w.Values[1] = valueOf(hidden, false)
			w.Values[1].MayLack = func(_ toy, text string) bool { return text == "0" }
			done, err := w.Run(t.Context(), newClient(), opsmanager.ObjectSchedule)
			if isRefused := errors.Is(err, errChanged); isRefused != test.isRefused || attributesOf(done.NotTaken) != test.notTaken {
				t.Errorf("refused: %v, not taken %v", err, done.NotTaken)
			}
		})
	}
}

func newClient() *opsmanager.Client {
	return opsmanager.NewClient(opsmanager.Config{BaseURL: &url.URL{Scheme: "https", Host: "localhost"}, PublicKey: "public", PrivateKey: "private"})
}

func attributesOf(differences []tf.Difference) (attributes string) {
	for _, d := range differences {
		attributes += d.Attribute
	}
	return attributes
}
