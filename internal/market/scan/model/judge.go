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
	judgeSize
)

// Judged is what the second model sees of a text: the whole, and its worst chunks as if each stood alone.
type Judged struct {
	whole  [judgeSize]float64
	locals [][judgeSize]float64
	chunks int
}

func (d *Document) judge(set *rules.Set) Judged {
	whole := d.weights.score(tally{d.textN, d.conN, d.textZ, d.conZ})
	top := d.top
	if d.chunks == 0 {
		top = [3]float64{whole, whole, whole}
	}
	j := Judged{whole: judge(set, whole, top, d.chunks, d.finds, d.mentions), chunks: d.chunks}
	if d.chunks > 1 {
		for _, l := range d.locals {
			j.locals = append(j.locals, l.x)
		}
	}
	return j
}

func judge(set *rules.Set, whole float64, top [3]float64, chunks int, finds map[int]int, mentions int) [judgeSize]float64 {
	n := min(max(chunks, 1), 3)
	mean := 0.0
	for _, z := range top[:n] {
		mean += z / float64(n)
	}
	var strong, some, little, code int
	families := map[string]bool{}
	for rule, count := range finds {
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
			families[r.Family] = true
			if r.Pattern != "" {
				code += min(count, 2)
			}
		}
	}
	clip := func(x float64) float64 { return max(-6, min(6, x)) }
	long := math.Log2(float64(max(chunks, 1)))
	return [judgeSize]float64{
		judgeBias: 1, judgeWhole: clip(whole), judgeMax: clip(top[0]), judgeTop: clip(mean), judgeChunks: long / 3,
		judgeMaxLong: clip(top[0]) * min(long, 4) / 4,
		judgeStrong:  float64(min(strong, 1)), judgeStrong2: float64(min(max(strong-1, 0), 2)),
		judgeSome: float64(min(some, 1)), judgeSome2: float64(min(max(some-1, 0), 3)),
		judgeLittle: float64(min(little, 2)), judgeCode: float64(min(code, 3)),
		judgeFamilies: float64(min(max(len(families)-1, 0), 3)), judgeMentions: float64(min(mentions, 3)),
	}
}
