package catalog

import (
	"math"
	"strconv"
	"time"
)

// AppendLive appends a rendered listing or detail with what changes without a new version put in as the last
// members. rendered is a JSON object with at least one member; out may begin where it does.
func AppendLive(out, rendered []byte, h Hit) []byte {
	out = append(out, rendered[:len(rendered)-1]...)
	out = append(out, `,"engagement":`...)
	out = h.Engagement.appendJSON(out)
	out = append(out, `,"rating":{"count":`...)
	out = strconv.AppendInt(out, h.Ranking.Ratings, 10)
	out = append(out, `,"average":`...)
	out = strconv.AppendFloat(out, math.Round(h.Ranking.Average()*100)/100, 'g', -1, 64)
	return append(out, `}}`...)
}

// appendJSON appends the engagement object of the contract.
func (e Engagement) appendJSON(out []byte) []byte {
	out = append(out, `{"trial_requests":`...)
	out = strconv.AppendInt(out, e.TrialRequests, 10)
	out = append(out, `,"installs":`...)
	out = strconv.AppendInt(out, e.Installs, 10)
	out = append(out, `,"prompt_generations":`...)
	out = strconv.AppendInt(out, e.PromptGenerations, 10)
	out = append(out, `,"package_generations":`...)
	out = strconv.AppendInt(out, e.PackageGenerations, 10)
	out = append(out, `,"community_submissions":`...)
	out = strconv.AppendInt(out, e.CommunitySubmissions, 10)
	out = append(out, `,"last_activity_at":"`...)
	if e.LastActivityAt != 0 {
		// RFC 3339 with milliseconds, put together because only plain RFC 3339 has a fast path.
		out = time.UnixMicro(e.LastActivityAt).UTC().AppendFormat(out, time.RFC3339)
		ms := e.LastActivityAt / 1000 % 1000
		out = append(out[:len(out)-1], '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z')
	}
	return append(out, `"}`...)
}

// MarshalJSON writes the engagement object of the contract.
func (e Engagement) MarshalJSON() ([]byte, error) { return e.appendJSON(nil), nil }
