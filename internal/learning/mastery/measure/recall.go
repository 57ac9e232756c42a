package measure

import (
	"fmt"
	"math"

	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/recall"
)

// RecallFigures are those of one predictor over a review log.
type RecallFigures struct {
	Model string `json:"model"`
	Figures
	RMSEBins float64 `json:"rmse_bins"`
}

// RecallReport compares the predictors of recall over one log.
type RecallReport struct {
	Reviews  int    `json:"reviews"`
	BadLines int    `json:"bad_lines"`
	People   int    `json:"people"`
	Cards    int    `json:"cards"`
	CrossDay int    `json:"cross_day_reviews"`
	Protocol string `json:"protocol"`
	Pace
	Models        []RecallFigures `json:"models"`
	Lengths       []LengthFigures `json:"by_length_of_history"`
	RecallFigures                 // ours, the last of Models
}

// LengthFigures compare ours with FSRS-6's defaults on the reviews that come so far into a person's history.
type LengthFigures struct {
	From, To int     // number of the cross-day review of its person, from 1
	N        int     `json:"n"`
	Ours     float64 `json:"log_loss"`
	Default  float64 `json:"fsrs6_default_log_loss"`
	Up       float64 `json:"difference_up_to_here"` // ours minus the default's, over all reviews up to To
}

// lengths are the bounds of LengthFigures.
var lengths = []int{1, 6, 16, 41, 101, 251, 631, 1585, 3982, math.MaxInt32}

const recallProtocol = "prequential per person: each cross-day review (half a day or more after the card's last) is predicted, " +
	"then learned from; scored are the last 5/6 of them, the test parts of TimeSeriesSplit(5); no batch fit"

// The predictors, ours last.
var recallModels = []string{"AVG", "MOVING-AVG", "FSRS-6 default", "FSRS-6 + 6-feature AdaGrad head", "FSRS-6 + 15-feature belief head", "stoa"}

// Recall lets the predictors predict the cross-day reviews of a log, which must be in order of time.
func Recall(reviews []Review, bad int) RecallReport {
	r := RecallReport{Reviews: len(reviews), BadLines: bad, Protocol: recallProtocol}
	type key struct{ user, card string }
	cards, people := map[key]*reviewed{}, map[string]*remembering{}
	var order []*remembering
	var pace pace
	var s online.Scratch
	for _, x := range reviews {
		p := people[x.User]
		if p == nil {
			p = &remembering{person: recall.NewPerson()}
			people[x.User] = p
			order = append(order, p)
		}
		k := key{x.User, x.Card}
		c := cards[k]
		if c == nil {
			c = &reviewed{}
			cards[k] = c
		}
		before := c.card
		at := int64(math.Round(x.At * 1e6))
		pace.start()
		q, predicted := p.person.Review(&c.card, &c.past, x.Grade, at, &s)
		pace.stop()
		c.past.Add(online.Outcome{Y: float64(min(x.Grade-1, 1)), Weight: 1}, at)
		if predicted {
			p.add(before, at, x.Grade > 1, q)
		}
	}
	r.People, r.Cards = len(people), len(cards)
	r.Pace = pace.report()
	scored := make([][]Scored, len(recallModels))
	bins := make([]binned, len(recallModels))
	for _, p := range order {
		n := len(p.bins)
		r.CrossDay += n
		for i := n - 5*(n/6); n >= 6 && i < n; i++ {
			for m := range recallModels {
				scored[m] = append(scored[m], p.scored[m][i])
				bins[m].add(p.bins[i], p.scored[m][i])
			}
		}
	}
	r.Lengths = byLength(order)
	for m, name := range recallModels {
		r.Models = append(r.Models, RecallFigures{name, score(scored[m]), bins[m].rmse()})
	}
	r.RecallFigures = r.Models[len(recallModels)-1]
	return r
}

func byLength(people []*remembering) (out []LengthFigures) {
	sum, n := 0.0, 0.0
	for k := range len(lengths) - 1 {
		f := LengthFigures{From: lengths[k], To: lengths[k+1] - 1}
		var ours, plain []Scored
		for _, p := range people {
			for i := f.From - 1; i < min(f.To, len(p.bins)); i++ {
				ours, plain = append(ours, p.scored[5][i]), append(plain, p.scored[2][i])
			}
		}
		if f.N = len(ours); f.N > 0 {
			f.Ours, f.Default = score(ours).LogLoss, score(plain).LogLoss
			sum, n = sum+float64(f.N)*(f.Ours-f.Default), n+float64(f.N)
			f.Up = sum / n
			out = append(out, f)
		}
	}
	return out
}

// Deal gives each person's cards to n people in turn, so that a long log stands for many short ones.
func Deal(reviews []Review, n int) {
	dealt := map[[2]string]int{}
	for i := range reviews {
		r := &reviews[i]
		key := [2]string{r.User, r.Card}
		k, ok := dealt[key]
		if !ok {
			k = len(dealt) % n
			dealt[key] = k
		}
		r.User = fmt.Sprintf("%s/%d", r.User, k)
	}
}

// reviewed is a card of the log and its reviews so far.
type reviewed struct {
	card recall.Card
	past online.Windows
}

// remembering is one person of the log, and what was predicted of them.
type remembering struct {
	person *recall.Person
	scored [6][]Scored
	bins   []bin
}

func (p *remembering) add(c recall.Card, at int64, y bool, q recall.Prediction) {
	for m, x := range [...]float64{
		q.Experts[recall.Share], q.Experts[recall.Tracker], q.Experts[recall.Memory], q.Experts[recall.Plain], q.Experts[recall.Full], q.P,
	} {
		p.scored[m] = append(p.scored[m], Scored{x, y})
	}
	p.bins = append(p.bins, binOf(c, at))
}

// bin is a cell of RMSE(bins): days, reviews and lapses, each on the grid of srs-benchmark.
type bin [3]float64

func binOf(c recall.Card, at int64) bin {
	round := func(x float64) float64 { return math.Round(x*100) / 100 }
	grid := func(n, factor, base, offset float64) float64 {
		return round(factor * math.Pow(base, math.Floor(math.Log(n+offset)/math.Log(base))))
	}
	b := bin{grid(math.Max(1, math.Round(c.Elapsed(at))), 2.48, 3.62, 0), grid(float64(c.Days)+1, 1.99, 1.89, 0), 0}
	if c.Lapses > 0 {
		b[2] = grid(float64(c.Lapses), 1.65, 1.73, 0)
	}
	return b
}

// binned sums predictions and outcomes by cell.
type binned struct {
	at    map[bin]int
	cells [][3]float64 // predicted, recalled, count
}

func (b *binned) add(k bin, s Scored) {
	if b.at == nil {
		b.at = map[bin]int{}
	}
	i, ok := b.at[k]
	if !ok {
		i = len(b.cells)
		b.at[k] = i
		b.cells = append(b.cells, [3]float64{})
	}
	c := &b.cells[i]
	c[0] += s.P
	if s.Y {
		c[1]++
	}
	c[2]++
}

// rmse is the root of the mean, over reviews, of each cell's squared difference of predicted and seen share.
func (b *binned) rmse() float64 {
	sum, n := 0.0, 0.0
	for _, c := range b.cells {
		d := (c[0] - c[1]) / c[2]
		sum += d * d * c[2]
		n += c[2]
	}
	if n == 0 {
		return 0
	}
	return math.Sqrt(sum / n)
}
