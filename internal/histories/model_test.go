package histories

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// logs is what a log is allowed to do: a commit appends itself, and a read gives all of
// them. The state is the tokens of the commits, each with a comma after it, oldest first.
var logs = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		folders := map[string][]porcupine.Operation{}
		for _, op := range all {
			f := op.Input.(event).Folder
			folders[f] = append(folders[f], op)
		}
		var out [][]porcupine.Operation
		for _, ops := range folders {
			out = append(out, ops)
		}
		return out
	},
	Init: func() any { return "" },
	Step: func(state, _, output any) (bool, any) {
		s, e := state.(string), output.(event)
		n := int64(strings.Count(s, ","))
		switch {
		case e.Kind == "log": // Token holds all tokens of what was read
			return s == e.Token, s
		case e.Told == "ok":
			return n+1 == e.Number, s + e.Token + ","
		case e.Told == "nothing": // the head has what is live; Token is the head's
			return n == e.Number && (n == 0 || strings.HasSuffix(","+s, ","+e.Token+",")), s
		case e.Told == "failed":
			return true, s
		}
		return true, s + e.Token + "," // nobody knows: it may come as late as after all else
	},
	DescribeOperation: func(_, output any) string { return fmt.Sprintf("%+v", output) },
}

// An operation is what a process was told, and when it was under way.
type operation struct {
	process    int
	call, back int64 // back is math.MaxInt64 where it was killed, or is unclear
	event
}

// pair makes operations of the events of one process, in their order. The second result
// says what is wrong with the events themselves.
func pair(process int, events []event) ([]operation, error) {
	var out []operation
	for _, e := range events {
		switch {
		case !e.End && (len(out) == 0 || out[len(out)-1].End) && e.Op == len(out)+1:
			e.Told = "killed"
			out = append(out, operation{process: process, call: e.At, back: math.MaxInt64, event: e})
		case e.End && len(out) > 0 && !out[len(out)-1].End && out[len(out)-1].Op == e.Op:
			o := &out[len(out)-1]
			o.event = e
			if e.Told != "unclear" {
				o.back = e.At
			}
		default:
			return out, fmt.Errorf("process %d told of %+v after %d operations", process, e, len(out))
		}
	}
	return out, nil
}

// linearizable says whether the commits and the reads can have happened in some order
// that agrees with their times, and with tokens, which gives a commit's message by ID.
// A read that was not finished, or failed, tells nothing.
func linearizable(all []operation, tokens map[string]string) (bool, porcupine.LinearizationInfo) {
	var ops []porcupine.Operation
	for _, o := range all {
		e := o.event
		switch {
		case e.Kind == "log" && e.Told == "ok":
			e.Token = ""
			for _, id := range slices.Backward(e.IDs) {
				e.Token += tokens[id] + ","
			}
		case e.Kind == "commit":
			if e.Told == "nothing" {
				e.Token = tokens[e.ID]
			}
		default:
			continue
		}
		ops = append(ops, porcupine.Operation{ClientId: o.process, Input: e, Call: o.call, Output: e, Return: o.back})
	}
	result, info := porcupine.CheckOperationsVerbose(logs, ops, 0)
	return result == porcupine.Ok, info
}

// A life is what is known of a key, of which there is one version at most: it was made
// between born and made, and deleted between dying and dead.
type life struct {
	version                 string
	born, made, dying, dead int64
}

// lives gives the lives of the keys of a folder. versions are those that the bucket has.
func lives(all []operation, folder string, versions map[string]string) map[string]life {
	out := map[string]life{}
	for _, o := range all {
		if o.Folder != folder || o.Kind != "put" && o.Kind != "delete" {
			continue
		}
		l, there := out[o.Key]
		if !there {
			l = life{version: versions[o.Key], dying: math.MaxInt64, dead: math.MaxInt64}
		}
		back := o.back
		if o.Told != "ok" {
			back = math.MaxInt64 // it may have arrived after all, and late
		}
		if o.Kind == "put" {
			l.born, l.made = o.call, back
		} else {
			l.dying, l.dead = o.call, back
		}
		out[o.Key] = l
	}
	return out
}

// snapshot says whether the files, versions by key, can have been what was live at one
// moment between from and until; the error is why not.
func snapshot(files map[string]string, of map[string]life, from, until int64) error {
	for key, version := range files {
		l, ok := of[key]
		switch {
		case !ok:
			return fmt.Errorf("%s is in the commit, and nobody wrote it", key)
		case l.version != version:
			return fmt.Errorf("%s is in the commit as %q, and is %q", key, version, l.version)
		}
		from, until = max(from, l.born), min(until, l.dead)
	}
	// The moments at which a key that is not in the commit was live for sure.
	var not []life
	moments := []int64{from}
	for key, l := range of {
		if _, in := files[key]; !in && l.version != "" && l.made < l.dying {
			not = append(not, l)
			moments = append(moments, l.dying)
		}
	}
	for _, at := range moments {
		if at >= from && at <= until && !slices.ContainsFunc(not, func(l life) bool { return l.made < at && at < l.dying }) {
			return nil
		}
	}
	return fmt.Errorf("there was no moment between %d and %d at which the files, and no others, can have been live", from, until)
}
