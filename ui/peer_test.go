package ui

import (
	"fmt"
	"testing"

	peer "charm.land/bubbles/v2/table"
	tea "charm.land/bubbletea/v2"
)

// BenchmarkPeerTable is BenchmarkTable's peer: the table of bubbles with the same
// rows, one key and one frame.
func BenchmarkPeerTable(b *testing.B) {
	const n = 100_000
	rows := make([]peer.Row, n)
	for i := range rows {
		rows[i] = peer.Row{fmt.Sprintf("row %d", i), "size"}
	}
	t := peer.New(peer.WithColumns([]peer.Column{{Title: "name", Width: 180}, {Title: "size", Width: 10}}),
		peer.WithRows(rows), peer.WithFocused(true), peer.WithHeight(57), peer.WithWidth(200))
	b.ReportAllocs()
	for b.Loop() {
		t, _ = t.Update(tea.KeyPressMsg{Code: tea.KeyDown})
		_ = t.View()
	}
}
