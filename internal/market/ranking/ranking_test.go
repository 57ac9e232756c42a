package ranking_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/market/ranking"
)

// Wilson's interval at 95 %, as the tables have it.
func TestLowerBounds(t *testing.T) {
	for _, c := range []struct {
		n, stars int64
		want     float64
	}{{1, 5, .2065}, {10, 50, .7225}, {100, 500, .9630}, {10, 30, .2366}, {100, 300, .4038}, {10, 10, 0}, {0, 0, 0}} {
		if got := (ranking.Counts{Ratings: c.n, Stars: c.stars}).Lower(); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("%d ratings, %d stars: %.4f, want %.4f", c.n, c.stars, got, c.want)
		}
	}
}

func TestScoreLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 10_000).Draw(t, "ratings")
		c := ranking.Counts{Ratings: n, Stars: rapid.Int64Range(n, 5*n).Draw(t, "stars"), Others: rapid.Int64Range(0, 1e6).Draw(t, "others"), Keepers: rapid.Int64Range(0, 1e6).Draw(t, "keepers")}
		score := c.Score()
		if math.IsNaN(score) || score < 0 || score > ranking.RatingPoints+ranking.KeeperPoints {
			t.Fatalf("%+v: %v", c, score)
		}
		others := c
		others.Others += 1000
		if others.Score() != score {
			t.Fatal("who does not count has a part in it")
		}
		liked, kept, hated := c, c, c
		liked.Ratings, liked.Stars = liked.Ratings+1, liked.Stars+5
		kept.Keepers++
		hated.Ratings, hated.Stars = hated.Ratings+1, hated.Stars+1
		if liked.Score() <= score || kept.Score() < score {
			t.Fatalf("%+v: who likes or keeps it lowers it: %v, %v, %v", c, score, liked.Score(), kept.Score())
		}
		if c.Ratings > 0 && hated.Score() > score+1e-9 {
			t.Fatalf("%+v: one star raises it: %v, %v", c, score, hated.Score())
		}
	})
}
