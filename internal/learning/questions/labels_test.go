package questions

import (
	"slices"
	"strings"
	"testing"
)

// A label that says what a sentence is for, an explanation by examples alone, and a table of what speaks for and against give no
// questions: nobody could know the answer. Found in public notes of others.
func TestLabelsThatNameNothing(t *testing.T) {
	for note, never := range map[string]string{
		"# Rechte\n\nRechte regeln, wer eine Datei lesen darf.\n\n**Eselsbrücke:** Alle Chefs lieben neue Tabellen für Sicherheit im ganzen Haus.\n": "Eselsbrücke",
		"# 块设备\n\n块设备是一种存储设备，以块为单位读写。\n\n- **类比**：想象一栋大楼，数据存储在每个房间里，要先说去几楼的几号房间。\n- **与之相对的是“字符设备”**：数据以字符流的形式处理，例如键盘、鼠标、打印机。\n":                     "与之相对",
		"# Subjekte\n\n- **Benutzer** (User): z.B. \"Anna.Mueller\", UID 1001\n- **Gruppen** (Groups): z.B. \"Marketing\", GID 2001\n":               "Anna",
		"# RRF\n\nRRF 是一种用于融合多个检索结果列表的算法。\n\n| 优点 | 缺点 |\n|---|---|\n| 无需归一化 | 对排名靠后的文档不敏感 |\n| 对离群值不敏感 | 无法处理置信度信息 |\n":                             "排名靠后",
		"# Wahl\n\nDie Wahl hängt von der Größe der Objekte ab.\n\n**WANN:** Die Parameter sind große Objekte, die nicht kopiert werden sollen.\n":   "Begriff ist gemeint",
	} {
		for _, q := range questionsOf(note) {
			if q.Rank < .5 {
				continue // to explain the whole
			}
			if strings.Contains(q.Prompt+"\n"+strings.Join(append(q.Choices, q.Expected()), "\n"), never) {
				t.Errorf("%s: %+v", never, q)
			}
		}
	}
}

// Definitions as Chinese notes have them: behind a comma, with 则 between, and in lines with a number before the term.
func TestDefinitionsBehindACommaAndANumber(t *testing.T) {
	for note, want := range map[string]string{
		"# 绑定\n\n绑定有两种，从高到低分别为：\n\n1. 构造绑定，指的是函数作为构造函数来创建对象，这时指向新的对象。\n2. 默认绑定，指的是没有别的绑定时指向全局对象的情况。\n":                       "构造绑定",
		"# 数据库\n\n先了解几个基本概念：\n1）表(table) :存储数据的特定结构，由列组成。\n2）模式(schema) :定义表的结构信息和数据类型。\n3）标量(scalar) :指的是单一的数据，与之相对的是集合。\n": "标量",
		"# 作用域\n\n动态作用域则是指根据函数调用的位置来确定变量作用范围的规则。\n":                                                                          "动态作用域",
	} {
		list := questionsOf(note)
		if !slices.ContainsFunc(list, func(q Question) bool {
			return q.Origin == Rule && q.Rank >= .5 && strings.Contains(q.Prompt+q.Expected(), want)
		}) {
			t.Errorf("%s: %+v", want, list)
		}
	}
}
