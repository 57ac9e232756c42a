package quality

import "math"

// Chart decides whether a series has fallen or risen by more than chance. It is a self-starting CUSUM (E. S. Page, 1954;
// D. M. Hawkins, "Self-starting CUSUM charts for location and scale", The Statistician 36, 1987): each value is set
// against those before it and what differs by more than half a standard deviation is summed up.
//
// Once there are enough values, each counts by its rank among the newest of them. Without a change these sequential ranks
// are independent and uniform whatever the values are like (D. McDonald, "A CUSUM procedure based on sequential ranks",
// Naval Research Logistics 37, 1990), so skewed or wild series raise no more alarms than tame ones. Before that, a value
// counts by its distance from the mean.
//
// It takes each new piece of evidence once. To look at it, however often, changes nothing: that is why repeated looks
// cannot raise an alarm.
type Chart struct {
	Values []float64 `json:"values"` // the newest of those that are usual, the oldest first
	Down   float64   `json:"down"`   // how much speaks for a fall
	Up     float64   `json:"up"`     // how much speaks for a rise
	// Fallen and Risen stay set until what speaks for it has gone down to half the limit.
	Fallen bool `json:"fallen"`
	Risen  bool `json:"risen"`
	Taken  int  `json:"taken"` // values taken
	// Newest are the last values, usual or not, the oldest first.
	Newest []float64 `json:"newest,omitempty"`
}

const (
	slack = .5 // standard deviations that are let go by each time; half the change that is looked for
	// limit is where an alarm is raised. By simulation (`stoa eval governance`) it gives less than one false alarm per
	// 1,000 values, and a fall of one standard deviation is seen within ten in the median.
	limit = 5.0
	most  = limit + 1 // what speaks for a change is not summed up beyond, so that a repaired series is soon seen as such
	wild  = 3         // a standardised value beyond counts as this much: one outlier alone raises no alarm
	kept  = 200       // values that are remembered
	// newest is how many of the last values say how things are now.
	newest = 5
	ranks  = 30 // values from which on ranks count
	// A few values alone do not tell how much a series varies: priorCount values with a spread of priorSpread are thought
	// to have been seen before.
	priorCount  = 4
	priorSpread = .1
	// smallest is the least difference that matters, a share of the scale; closer values count as the same.
	smallest = .005
)

// Add takes the next value, 0..1.
func (c *Chart) Add(x float64) {
	x = Round(x, 6)
	c.Taken++
	c.Newest = append(c.Newest[max(0, len(c.Newest)+1-newest):], x)
	if len(c.Values) > 0 {
		u := c.standardised(x)
		c.Down, c.Up = clamp(c.Down-u-slack, 0, most), clamp(c.Up+u-slack, 0, most)
		c.Fallen, c.Risen = held(c.Fallen, c.Down), held(c.Risen, c.Up)
	}
	if c.Fallen {
		return // what is wrong does not become usual
	}
	c.Values = append(c.Values[max(0, len(c.Values)+1-kept):], x)
}

func held(before bool, sum float64) bool {
	if before {
		return sum > limit/2
	}
	return sum >= limit
}

// standardised gives x as a standard normal value, if it comes from where those before came from.
func (c *Chart) standardised(x float64) float64 {
	n := float64(len(c.Values))
	if len(c.Values) < ranks {
		t := (x - c.Mean()) / c.spread() * math.Sqrt(n/(n+1))
		return clamp(normal(t, n-1+priorCount), -wild, wild)
	}
	below, same := 0.0, 1.0
	for _, v := range c.Values {
		switch {
		case math.Abs(v-x) <= smallest:
			same++
		case v < x:
			below++
		}
	}
	return math.Sqrt2 * math.Erfinv(2*(below+same/2)/(n+1)-1)
}

// normal turns a value of Student's distribution into the standard normal value of about the same rank (D. L. Wallace,
// "Bounds on normal approximations to Student's and the chi-square distributions", Ann. Math. Stat. 30, 1959).
func normal(t, freedom float64) float64 {
	u := (8*freedom + 1) / (8*freedom + 3) * math.Sqrt(freedom*math.Log1p(t*t/freedom))
	return math.Copysign(u, t)
}

// Mean is the mean of the values that are usual.
func (c *Chart) Mean() float64 {
	sum := 0.0
	for _, v := range c.Values {
		sum += v
	}
	return sum / float64(max(1, len(c.Values)))
}

// Now is the mean of the last values.
func (c *Chart) Now() float64 {
	sum := 0.0
	for _, v := range c.Newest {
		sum += v
	}
	return sum / float64(max(1, len(c.Newest)))
}

// spread is their standard deviation.
func (c *Chart) spread() float64 {
	mean, m2 := c.Mean(), priorCount*priorSpread*priorSpread
	for _, v := range c.Values {
		m2 += (v - mean) * (v - mean)
	}
	return math.Sqrt(m2 / float64(max(1, len(c.Values)-1+priorCount)))
}

// confidence says how sure the chart is of its verdict, 0..1.
func (c *Chart) confidence() float64 {
	switch {
	case c.Fallen:
		return Round(min(1, .5+.5*c.Down/most), 4)
	case c.Risen:
		return Round(min(1, .5+.5*c.Up/most), 4)
	}
	return Round(clamp(1-max(c.Down, c.Up)/limit, 0, 1)*min(1, float64(c.Taken)/10), 4)
}
