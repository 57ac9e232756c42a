package search

import (
	"strings"
	"unicode"
)

// stopWords carry no wish of their own in an English request. They are dropped
// from a query in which another word remains.
var stopWords = words(`a an and or the of for to in on at by with from as into about is are am be was
	do does did can could would should will shall may might must it its this that these those there
	i me my mine we us our you your he she they them their what which who how when where why
	please help want wants wanted need needs like let lets get give make some any something someone
	so if but not no just very really all best good t s m re ve ll d im id`)

// fillers are what Chinese and Japanese requests are wrapped in. They are left
// out when a query is taken loosely, not when it is taken by the letter.
var fillers = []string{
	"请帮我", "帮我", "帮忙", "给我", "我想要", "我想", "我要", "我需要", "需要", "想要", "请问", "如何", "怎么样", "怎么", "怎样",
	"什么", "可以", "一下", "一个", "一篇", "一封", "一份", "一些", "有没有", "能不能", "关于", "用于", "進行", "进行", "适合",
	"幫我", "請幫我", "如何", "怎麼", "需要", "手伝", "教えて", "作って", "欲しい", "探して", "方法", "使い方",
}

// essence cuts a run of Chinese, Japanese or Korean down to the stretches that
// carry meaning: what stands between request phrases and, in Japanese, between
// the hiragana that only join words. Stretches of one character say too little
// alone and are left out. A run in hiragana alone, or with loose marks, is kept whole.
func essence(run string) []string {
	if strings.ContainsFunc(run, unicode.IsMark) {
		return []string{run}
	}
	for _, filler := range fillers {
		run = strings.ReplaceAll(run, filler, " ")
	}
	kanjiOrKatakana := strings.ContainsFunc(run, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Katakana)
	})
	stretches := strings.FieldsFunc(run, func(r rune) bool {
		return r == ' ' || strings.ContainsRune("的了吗呢吧把和", r) ||
			kanjiOrKatakana && unicode.Is(unicode.Hiragana, r)
	})
	kept := stretches[:0]
	for _, stretch := range stretches {
		if runeCount(stretch) > 1 {
			kept = append(kept, stretch)
		}
	}
	return kept
}
