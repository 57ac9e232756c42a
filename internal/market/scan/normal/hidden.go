package normal

import (
	"bytes"
	"regexp"
)

// Kinds of pieces that a page does not show as text.
const (
	HiddenComment = "html_comment"
	HiddenSpan    = "hidden_element"
	HiddenRef     = "markdown_comment"
	HiddenAlt     = "image_text"
)

var (
	hiddenStyle = regexp.MustCompile(`(?i)(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*[01](?:px|pt|em|rem|%)?\s*[;"']|opacity\s*:\s*0(?:\.0*)?\s*[;"']|color\s*:\s*(?:white|#fff(?:fff)?|transparent)\b|\shidden(?:[\s>="'/]|$)|(?:left|top|text-indent)\s*:\s*-\d{3,}|aria-hidden\s*=\s*["']?true)`)
	shownText   = regexp.MustCompile(`(?i)\b(?:alt|title|aria-label|data-[a-z-]{1,20}|content|placeholder)\s*=\s*(?:"([^"]{12,})"|'([^']{12,})')`)
	refLine     = regexp.MustCompile(`(?m)^[ \t]{0,3}\[[^\]\n]+\]:[ \t]*\S+[ \t]+(?:"([^"\n]{8,})"|'([^'\n]{8,})'|\(([^\n]{8,})\)[ \t]*$)`)
	imageAlt    = regexp.MustCompile(`!\[([^\]]{8,})\]\(`)
	linkTitle   = regexp.MustCompile(`\]\([^)\s]+\s+"([^"\n]{12,})"\)`)
)

// maxTag bounds what is taken for one HTML tag.
const maxTag = 2000

// Hidden gives each piece of a Markdown or HTML text that its reader is not shown.
func Hidden(t Text, piece func(kind string, p Text)) {
	b := t.B
	for i := 0; ; {
		j := bytes.Index(b[i:], []byte("<!--"))
		if j < 0 {
			break
		}
		i += j + 4
		k := bytes.Index(b[i:], []byte("-->"))
		if k < 0 {
			k = len(b) - i
		}
		if k >= 8 {
			piece(HiddenComment, t.Slice(i, i+k))
		}
		i += k
	}
	elements(t, piece)
	if bytes.Contains(b, []byte("](")) {
		groups(imageAlt, t, HiddenAlt, piece)
		groups(linkTitle, t, HiddenAlt, piece)
	}
	if bytes.Contains(b, []byte("]:")) {
		groups(refLine, t, HiddenRef, piece)
	}
}

func groups(re *regexp.Regexp, t Text, kind string, piece func(string, Text)) {
	for _, m := range re.FindAllSubmatchIndex(t.B, 64) {
		for g := 2; g+1 < len(m); g += 2 {
			if m[g] >= 0 {
				piece(kind, t.Slice(m[g], m[g+1]))
			}
		}
	}
}

// elements finds the tags that hide what they hold, and the texts in attributes.
func elements(t Text, piece func(kind string, p Text)) {
	b := t.B
	closes := 0
	for i := 0; i < len(b); {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			return
		}
		i += j + 1
		if i == len(b) || !isLetter(b[i]) {
			continue
		}
		n := bytes.IndexByte(b[i:min(len(b), i+maxTag)], '>')
		if n < 12 {
			continue
		}
		tag := b[i : i+n]
		if bytes.IndexByte(tag, '<') >= 0 {
			continue
		}
		for _, m := range shownText.FindAllSubmatchIndex(tag, 8) {
			g := 2
			if m[g] < 0 {
				g = 4
			}
			piece(HiddenAlt, t.Slice(i+m[g], i+m[g+1]))
		}
		if hiddenStyle.Match(tag) && closes < 64 {
			closes++ // each may look through the rest of the window
			name := 0
			for name < len(tag) && (isLetter(tag[name]) || isDigit(tag[name])) {
				name++
			}
			from := i + n + 1
			k := bytes.Index(b[from:], append([]byte("</"), tag[:name]...))
			if k < 0 {
				k = min(len(b)-from, 4000)
			}
			if k >= 8 {
				piece(HiddenSpan, t.Slice(from, from+k))
			}
		}
		i += n
	}
}
