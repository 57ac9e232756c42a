// Package ranking says how high an item stands in the catalog by default, and why.
//
// Only members for whom whoever runs the server vouches have a part in it. Nothing that an account can do by itself tells a
// person from a program that is patient: it can wait, install, come back every day and rate many things. So what others say is
// shown and has no part in the order, however many they are.
//
// Ratings are ranked by the lower bound of Wilson's score interval rather than by their mean, so that one enthusiast does not
// stand above a hundred satisfied members: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
// JASA 22 (1927) 209–212; for ratings E. Miller, "How Not To Sort By Average Rating" (2009). Stars are taken as fractions of a
// success, as is usual where there are more than two grades; the interval is then wider than it needs to be, never narrower.
package ranking

import "math"

// Counts are what a ranking is made of.
type Counts struct {
	Ratings int64 // that count
	Stars   int64 // of them, added up
	Others  int64 // ratings that are shown and do not count
	Keepers int64 // members who count and have had it installed for a week
}

// The parts of a ranking: at most so many points come from ratings, and so many from being kept, half of them from keepersHalf.
const (
	RatingPoints = 80.0
	KeeperPoints = 20.0
	keepersHalf  = 20.0
)

// z95 is the standard normal quantile of a two-sided interval of 95 %.
const z95 = 1.959963984540054

// The least and the most stars of a rating.
const (
	LeastStars = 1
	MostStars  = 5
)

// Average is the mean of the stars that count, 0 when there are none.
func (c Counts) Average() float64 {
	if c.Ratings == 0 {
		return 0
	}
	return float64(c.Stars) / float64(c.Ratings)
}

// Lower is the lower end of Wilson's interval for the share of satisfaction, from 0 to 1; 0 without ratings.
func (c Counts) Lower() float64 {
	if c.Ratings == 0 {
		return 0
	}
	n := float64(c.Ratings)
	p := (c.Average() - LeastStars) / (MostStars - LeastStars)
	return max(0, (p+z95*z95/(2*n)-z95*math.Sqrt((p*(1-p)+z95*z95/(4*n))/n))/(1+z95*z95/n))
}

// Points are what an item has from ratings and from being kept.
func (c Counts) Points() (ratings, keepers float64) {
	k := float64(c.Keepers)
	return RatingPoints * c.Lower(), KeeperPoints * k / (k + keepersHalf)
}

// Score is the sum of the points, from 0 to 100.
func (c Counts) Score() float64 {
	ratings, keepers := c.Points()
	return ratings + keepers
}
