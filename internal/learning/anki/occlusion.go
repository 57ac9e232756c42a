package anki

import (
	"path"
	"strconv"
	"strings"

	"stoa/internal/learning/questions"
)

// Image occlusion: the first field holds clozes {{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:oi=1}}, a
// second the picture. Places are shares of the picture's size.

const mostShapes = 500

// occluded reads the picture and the shapes of a card; false for other cards. Without oi=1 only the asked shape is
// covered.
func occluded(n *Note, m *Model, number int) (picture string, shapes []questions.Shape, ok bool) {
	if !m.Cloze || number < 1 {
		return "", nil, false
	}
	for _, field := range n.Fields {
		if !strings.Contains(field, "image-occlusion:") {
			continue
		}
		for _, p := range pieces(field) {
			if p.gap == nil {
				continue
			}
			shape, all, is := shapeOf(whole(p.gap.inner))
			shape.Asked = p.gap.has(number)
			if is && (shape.Asked || all) && len(shapes) < mostShapes {
				shapes = append(shapes, shape)
			}
		}
	}
	if len(shapes) == 0 {
		return "", nil, false
	}
	var media files
	for _, field := range n.Fields {
		if textOf(field, &media); len(media.names) > 0 {
			return media.names[0], shapes, true
		}
	}
	return "", nil, false
}

// shapeOf reads one shape, and whether it covers its place also while another is asked.
func shapeOf(text string) (s questions.Shape, all, ok bool) {
	text, ok = strings.CutPrefix(strings.TrimSpace(text), "image-occlusion:")
	if !ok {
		return s, false, false
	}
	parts := strings.Split(text, ":")
	s.Form = parts[0]
	for _, p := range parts[1:] {
		name, value, _ := strings.Cut(p, "=")
		switch name {
		case "left":
			s.Left = share(value)
		case "top":
			s.Top = share(value)
		case "width":
			s.Width = share(value)
		case "height":
			s.Height = share(value)
		case "rx":
			s.Width = min(1, 2*share(value))
		case "ry":
			s.Height = min(1, 2*share(value))
		case "oi":
			all = value == "1"
		case "points":
			for pair := range strings.FieldsSeq(value) {
				x, y, _ := strings.Cut(pair, ",")
				if len(s.Points) < 200 {
					s.Points = append(s.Points, [2]float64{share(x), share(y)})
				}
			}
		}
	}
	switch s.Form {
	case "rect", "ellipse":
		ok = s.Width > 0 && s.Height > 0
	case "polygon":
		ok = len(s.Points) > 2
	default:
		ok = false
	}
	return s, all, ok
}

// share reads a share of one; what is none is 0.
func share(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) {
		return 0
	}
	return min(v, 1)
}

// occlusion is the question of such a card. Only the learner can judge it: the answer is a picture.
func occlusion(n *Note, m *Model, picture string, shapes []questions.Shape) questions.Question {
	q := questions.Question{Kind: questions.Occlusion, Picture: picture, Shapes: shapes}
	var media files
	media.add(picture)
	var rest []string
	for i, field := range n.Fields {
		if strings.Contains(field, "image-occlusion:") {
			continue
		}
		text := strings.TrimSpace(withoutMedia(textOf(field, &media)))
		if text == "" {
			continue
		}
		if i < len(m.Fields) && strings.EqualFold(m.Fields[i], "Header") {
			q.Prompt = text
			continue
		}
		rest = append(rest, text)
	}
	q.Media, q.Explanation = media.names, strings.Join(rest, "\n\n")
	if q.Prompt == "" {
		q.Prompt = strings.TrimSuffix(picture, path.Ext(picture)) // the picture itself would show what is covered
	}
	return q
}
