package main

import (
	"bytes"
	"fmt"
	"math"

	"stoa/tests/load/rig"
)

// Sizes of the picture, in its own units.
const (
	plotWidth, plotHeight = 400.0, 260.0
	marginLeft, marginTop = 64.0, 40.0
	panelGap              = 90.0
)

// colours that can be told apart by everybody, on light and on dark ground.
var colours = []string{"#d55e00", "#0072b2", "#009e73", "#cc79a7"}

// axis is a logarithmic scale from low to high over length units.
type axis struct{ low, high, length float64 }

func (a axis) at(v float64) float64 {
	v = min(max(v, a.low), a.high)
	return (math.Log(v) - math.Log(a.low)) / (math.Log(a.high) - math.Log(a.low)) * a.length
}

// decades are the powers of ten on the axis.
func (a axis) decades() (list []float64) {
	for v := math.Pow(10, math.Floor(math.Log10(a.low))); v <= a.high*1.0001; v *= 10 {
		if v >= a.low*0.9999 {
			list = append(list, v)
		}
	}
	return list
}

// plot draws two panels over the offered rate: how much was answered, and the time that 99 of 100 stayed below. A ring marks
// the step that was beyond the knee.
func plot(curves []*curve) []byte {
	most := 100.0
	for _, c := range curves {
		for _, f := range c.Steps {
			most = max(most, f.Offered)
		}
	}
	x := axis{10, math.Pow(10, math.Ceil(math.Log10(most))), plotWidth}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="12" role="img" aria-label="Answered requests and p99 by offered rate">`+"\n",
		2*(marginLeft+plotWidth)+panelGap, marginTop+plotHeight+60+20*float64(len(curves)))
	b.WriteString("<style>text{fill:#222}.grid{stroke:#bbb;stroke-width:.5}.ground{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#555}.ground{fill:#181818}}</style>\n")
	b.WriteString(`<rect class="ground" width="100%" height="100%"/>` + "\n")
	panel(&b, marginLeft, "answered per second", x, axis{10, x.high, plotHeight}, curves, func(f *figures) float64 { return f.Achieved })
	panel(&b, 2*marginLeft+plotWidth+panelGap/2, "p99, ms", x, axis{1, 10_000, plotHeight}, curves, func(f *figures) float64 { return rig.MS(quantile(f.All, 0.99)) })
	for i, c := range curves {
		y := marginTop + plotHeight + 60 + 20*float64(i)
		fmt.Fprintf(&b, `<line x1="%.0f" x2="%.0f" y1="%.0f" y2="%.0f" stroke="%s" stroke-width="2"/><text x="%.0f" y="%.0f">%s</text>`+"\n",
			marginLeft, marginLeft+28, y-4, y-4, colours[i%len(colours)], marginLeft+36, y, c.Name)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func panel(b *bytes.Buffer, left float64, title string, x, y axis, curves []*curve, value func(*figures) float64) {
	bottom := marginTop + plotHeight
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="14">%s</text>`+"\n", left, marginTop-14, title)
	for _, v := range x.decades() {
		at := left + x.at(v)
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f" text-anchor="middle">%.0f</text>`+"\n", at, at, marginTop, bottom, at, bottom+18, v)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">offered per second</text>`+"\n", left+plotWidth/2, bottom+36)
	for _, v := range y.decades() {
		at := bottom - y.at(v)
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f" text-anchor="end">%.0f</text>`+"\n", left, left+plotWidth, at, at, left-6, at+4, v)
	}
	for i, c := range curves {
		colour := colours[i%len(colours)]
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2" points="`, colour)
		for _, f := range c.Steps {
			fmt.Fprintf(b, "%.1f,%.1f ", left+x.at(f.Offered), bottom-y.at(value(f)))
		}
		b.WriteString(`"/>` + "\n")
		for _, f := range c.Steps {
			fill, radius := colour, 2.5
			if f.Knee != "" {
				fill, radius = "none", 6
			}
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" stroke="%s" stroke-width="2"/>`+"\n", left+x.at(f.Offered), bottom-y.at(value(f)), radius, fill, colour)
		}
	}
}
