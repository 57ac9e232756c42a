package model

import (
	"math"

	"stoa/internal/market/scan/rules"
)

// What the second model sees of a document.
const (
	judgeBias = iota
	judgeWhole
	judgeMax
	judgeTop
	judgeChunks
	judgeMaxLong
	judgeStrong
	judgeStrong2
	judgeSome
	judgeSome2
	judgeLittle
	judgeCode
	judgeFamilies
	judgeMentions
	judgeContrast
	judgeShort
	judgeShortWhole
	judgeRuledWhole
	judgeWholeHigh
	judgeMaxHigh
	judgeFront
	judgeFrontMax
	judgeDocument     // of a chunk: log-odds of the whole text
	judgeDocumentMean // of a chunk: mean of the text's chunks
	judgeDocumentLong // of a chunk: how many there are
	judgeSize
)

// Judged is what the second model sees of a text: the whole, and its worst chunks as if each stood alone.
type Judged struct {
	Whole  [judgeSize]float64
	Locals [][judgeSize]float64
}

// view is what there is to know of a text or of a part of it.
type view struct {
	whole    float64 // log-odds of all its features
	top      [3]float64
	mean     float64 // of its chunks
	chunks   int
	features int
	finds    map[int]int
	mentions int
	front    bool // it begins as skills and agent files do, with a name and a description
}

func (d *Document) judge(set *rules.Set) Judged {
	v := view{whole: d.weights.score(d.whole), top: d.top, chunks: d.chunks, features: d.whole.text(), finds: d.finds, mentions: d.mentions, front: d.form.front}
	if d.chunks == 0 {
		v.top = [3]float64{v.whole, v.whole, v.whole}
	}
	v.mean = v.whole
	if d.chunks > 0 {
		v.mean = d.sumZ / float64(d.chunks)
	}
	j := Judged{Whole: judge(set, v)}
	for _, l := range d.locals {
		if d.chunks < 2 && !l.passage {
			continue // it is the whole
		}
		x := l.x
		x[judgeDocument], x[judgeDocumentMean] = clip(v.whole), clip(v.mean)
		x[judgeDocumentLong] = math.Log2(float64(max(d.chunks, 1))) / 3
		x[judgeContrast] = min(6, x[judgeMax]-v.mean) / 2
		j.Locals = append(j.Locals, x)
	}
	return j
}

func clip(x float64) float64 { return max(-6, min(6, x)) }

func judge(set *rules.Set, v view) [judgeSize]float64 {
	n := min(max(v.chunks, 1), 3)
	mean := 0.0
	for _, z := range v.top[:n] {
		mean += z / float64(n)
	}
	var strong, some, little, code int
	kinds := map[string]bool{}
	for rule, count := range v.finds {
		r := &set.Rules[rule]
		switch r.Weight {
		case rules.Strong:
			strong++
		case rules.Some:
			some++
		default:
			little++
		}
		if r.Weight != rules.Little {
			kinds[r.Family] = true
			if r.Pattern != "" {
				code += min(count, 2)
			}
		}
	}
	long := math.Log2(float64(max(v.chunks, 1)))
	short := 400 / (400 + float64(v.features))
	ruled := min(1, float64(strong)+.5*float64(some))
	front := 0.0
	if v.front {
		front = 1
	}
	return [judgeSize]float64{
		judgeBias: 1, judgeWhole: clip(v.whole), judgeMax: clip(v.top[0]), judgeTop: clip(mean), judgeChunks: long / 3,
		judgeMaxLong: clip(v.top[0]) * min(long, 4) / 4,
		judgeStrong:  float64(min(strong, 1)), judgeStrong2: float64(min(max(strong-1, 0), 2)),
		judgeSome: float64(min(some, 1)), judgeSome2: float64(min(max(some-1, 0), 3)),
		judgeLittle: float64(min(little, 2)), judgeCode: float64(min(code, 3)),
		judgeFamilies: float64(min(max(len(kinds)-1, 0), 3)), judgeMentions: float64(min(v.mentions, 3)),
		judgeContrast: min(6, v.top[0]-v.mean) / 2, judgeShort: short, judgeShortWhole: short * clip(v.whole), judgeRuledWhole: ruled * clip(v.top[0]),
		judgeWholeHigh: max(0, clip(v.whole)-1), judgeMaxHigh: max(0, clip(v.top[0])-2), judgeFront: front, judgeFrontMax: front * clip(v.top[0]),
	}
}
