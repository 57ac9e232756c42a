package tutor

import (
	"strings"
	"unicode/utf8"

	"stoa/internal/learning/judging"
	"stoa/internal/learning/questions"
)

// Action is something that a tutor is asked to do.
type Action string

// The actions of the contract.
const (
	Quiz           Action = "generate_quiz"
	AnalyzeAnswer  Action = "analyze_answer"
	FollowUp       Action = "follow_up"
	Recap          Action = "recap"
	Transfer       Action = "generate_transfer"
	Counterexample Action = "generate_counterexample"
)

// ForKind is the tutor's part in an action of a plan.
func ForKind(kind string) Action {
	switch kind {
	case "quiz", "review":
		return Quiz
	case "transfer":
		return Transfer
	case "counterexample":
		return Counterexample
	}
	return Recap
}

// Subject is what a reply is about: an atom, the question of it that is asked or answered if one is known, and the
// neighbour that a transfer leads to.
type Subject struct {
	Title, Content string
	Keywords       []string
	Neighbour      string
	Question       *questions.Question
}

// Reply is what the tutor says.
type Reply struct {
	Message    string
	Suggested  []string // actions that make sense next
	Confidence float64  // 0..1
	Analysis   *Analysis
}

// Say replies in a language: zh, ja or any other for English. The texts of the notes stay as they are.
func Say(action Action, s Subject, answer, language string) Reply {
	w := wordings[language]
	if w == nil {
		w = wordings["en"]
	}
	fill := func(key string) string {
		return strings.NewReplacer("{title}", s.Title, "{other}", s.Neighbour).Replace(w[key])
	}
	next := suggested[action]
	switch action {
	case AnalyzeAnswer:
		a := analyze(&s, answer)
		expected := a.Expected
		if expected == "" {
			expected = opening(s.Content)
		}
		return Reply{fill(verdictWording(&a)) + "\n\n" + expected, next, a.Confidence, &a}
	case Quiz:
		if s.Question != nil {
			return Reply{s.Question.Prompt, next, .81, nil}
		}
		return Reply{fill("quiz"), next, .81, nil}
	case Transfer:
		key := "transfer"
		if s.Neighbour != "" {
			key = "transfer_to"
		}
		return Reply{fill(key), next, .81, nil}
	case Counterexample:
		return Reply{fill("counterexample"), next, .81, nil}
	case FollowUp:
		return Reply{fill("follow_up"), next, .74, nil}
	}
	return Reply{s.Title + "\n\n" + opening(s.Content), suggested[Recap], .87, nil}
}

// verdictWording is the key of what is said of an answer before the expected one.
func verdictWording(a *Analysis) string {
	switch {
	case a.Why == judging.Unknown || a.Why == judging.Blank:
		return "dont_know"
	case a.Doubtful:
		return "doubtful"
	}
	return string(a.Outcome)
}

// suggested are the actions that make sense after one.
var suggested = map[Action][]string{
	AnalyzeAnswer: {"follow_up", "generate_quiz"}, Quiz: {"analyze_answer", "recap"}, Transfer: {"analyze_answer", "generate_counterexample"},
	Counterexample: {"analyze_answer", "recap"}, FollowUp: {"analyze_answer"}, Recap: {"generate_quiz", "follow_up"},
}

var wordings = map[string]map[string]string{
	"en": {
		"quiz": "What is {title}? Say it in your own words.", "dont_know": "This is the answer:", "doubtful": "Compare your answer with the expected one:",
		"transfer": "Where outside your notes would you use {title}? Give one case and say why it fits.", "transfer_to": "How does {title} help with {other}? Give one case.",
		"counterexample": "Give a case that looks like {title} and is not. What is missing?", "follow_up": "Why does {title} hold, or how does it work? What would be different without it?",
		"correct": "Correct.", "partial": "Part of it is there. The expected answer:", "incorrect": "Not correct. The expected answer:",
	},
	"zh": {
		"quiz": "什么是“{title}”？用自己的话说说。", "dont_know": "答案是：", "doubtful": "请把你的回答与参考答案对照：",
		"transfer": "在笔记之外，你会在哪里用到“{title}”？举一例并说明理由。", "transfer_to": "“{title}”对“{other}”有什么帮助？举一例。",
		"counterexample": "举一个看似“{title}”却不是的例子。少了什么？", "follow_up": "“{title}”为什么成立，或者怎样起作用？没有它会有什么不同？",
		"correct": "正确。", "partial": "答对了一部分。参考答案：", "incorrect": "不对。参考答案：",
	},
	"ja": {
		"quiz": "「{title}」とは何ですか。自分の言葉で説明してください。", "dont_know": "答えは次のとおりです。", "doubtful": "模範解答と見比べてください。",
		"transfer": "ノート以外のどこで「{title}」を使いますか。例を一つ挙げ、理由を述べてください。", "transfer_to": "「{title}」は「{other}」にどう役立ちますか。例を一つ挙げてください。",
		"counterexample": "「{title}」に見えて、そうでない例を挙げてください。何が足りませんか。", "follow_up": "「{title}」はなぜ成り立つのか、またはどのように働くのかを説明してください。それがなければ何が変わりますか。",
		"correct": "正解です。", "partial": "一部は合っています。正解：", "incorrect": "不正解です。正解：",
	},
}

// shown is how much of a note a reply repeats, in characters.
const shown = 600

// opening is the beginning of a text, cut between sentences where that is near.
func opening(text string) string {
	text = strings.TrimSpace(text)
	runes := []rune(text)
	if len(runes) <= shown {
		return text
	}
	cut := string(runes[:shown])
	if i := strings.LastIndexAny(cut, ".!?。！？\n"); i > len(cut)/2 {
		_, size := utf8.DecodeRuneInString(cut[i:])
		return cut[:i+size]
	}
	return cut + "…"
}
