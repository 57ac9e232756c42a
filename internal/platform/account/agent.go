package account

import "strings"

// longestAgent bounds what DescribeAgent returns, in bytes.
const longestAgent = 60

// DescribeAgent says in a few words what program a User-Agent header names, such as "Firefox, Linux"; "" for nothing
// that is known. Names of products are the same in every language.
func DescribeAgent(header string) string {
	browser := firstOf(header, [][2]string{
		{"Edg/", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"},
		{"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"Chromium/", "Chromium"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
	})
	system := firstOf(header, [][2]string{
		{"Android", "Android"}, {"iPhone", "iOS"}, {"iPad", "iPadOS"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	if browser != "" {
		if system != "" {
			return browser + ", " + system
		}
		return browser
	}
	name, _, _ := strings.Cut(header, " ") // programs give their name and version first
	clean := strings.Map(func(r rune) rune {
		if r > 0x20 && r < 0x7f {
			return r
		}
		return -1
	}, name)
	return clean[:min(len(clean), longestAgent)]
}

func firstOf(text string, marks [][2]string) string {
	for _, m := range marks {
		if strings.Contains(text, m[0]) {
			return m[1]
		}
	}
	return ""
}
