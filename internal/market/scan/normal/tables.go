package normal

import (
	"unicode"
	"unicode/utf8"
)

// latinLike are letters of other scripts that are drawn like Latin ones (Unicode's confusables.txt, the part
// that matters for words), Latin ones with no decomposition, and small capitals.
var latinLike = pairs(`аaвbсcеeѕsіiјjоoрpхxуyһhԁdԛqԝwкkмmнhтtгrпnиuзeьbбbгrѵvӏlԍgсcәeӧoүyҽeоoґrѓrќkєeїi` +
	`αaβbγyεeηnιiκkνvοoρpτtυuχxωwσoθoλlμuδdϲcϳjςsάaέeήnίiόoύuώw` +
	`ɑaɡgıiʏyᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwᴢzøođdħhłlŧtßsæaœoðdþpɩiʋvɾrոnօoսuհhցgѡwոnԼlաwᗪdᗷbᑕcᗩaᖇrᔕsᑎnᑌuᗰmᒪlᏆtᎢtᎪaᎬeᏒrᏃzᎥiᏦk`)

// turnedLike are letters drawn upside down.
var turnedLike = pairs(`ɐaqbɔcpdǝeɟfƃgɥhᴉiıiɾjʞkʃlןlɯmunoodpbqɹrssʇtnuʌvʍwxxʎyzz˙.¿?¡!‘,ɓgƨsᴚrʁrƎeɘeılʅlꓶlꓕt`)

// simplified maps traditional and Japanese forms of Han characters that occur in patterns to simplified Chinese.
var simplified = pairs(`視视規规則则設设統统現现開开發发從从說说語语請请讓让應应該该對对話话記记錄录録录檔档執执運运轉转傳传輸输` +
	`顯显示示隱隐洩泄漏漏關关閉闭斷断絕绝無无為为與与這这個个們们你你會会來来時时實实際际環环變变數数據据密密鑰钥碼码號号帳账賬账戶户權权` +
	`員员層层級级優优經经過过濾滤審审查查繞绕擬拟給给複复復复寫写讀读內内內内容容務务將将後后樣样類类產产業业員员駭骇駭骇攻攻擊击測测試试` +
	`網网絡络鏈链連连結结線线組组織织編编輯辑譯译總总續续紀纪約约級级專专責责資资訊讯態态圖图圓圆團团國国學学習习覺觉親亲見见觀观` +
	`訂订許许詢询詳详認认諾诺謀谋證证識识護护貼贴買买賣卖費费質质銷销鎖锁錯错鍵键門门間间問问聞闻陽阳隨随難难電电響响頁页順顺須须預预` +
	`頭头題题願愿風风飛飞驗验騙骗驚惊體体點点黨党齊齐龍龙禮礼稱称穩稳競竞筆笔節节範范糾纠純纯紙纸終终絲丝維维緊紧縮缩繼继罰罚職职聯联聽听` +
	`脫脱腳脚臨临舉举舊旧藝艺藥药處处裝装製制補补詞词詐诈詳详誤误調调論论講讲謝谢警警譽誉貢贡財财販贩貨货貪贪貸贷賊贼賓宾賞赏賴赖車车軟软軍军` +
	`輕轻較较載载輔辅輪轮辦办違违遠远適适選选還还邊边郵邮釋释針针鐵铁長长陣阵陸陆雙双離离雲云靈灵靜静預预領领顏颜顧顾餘余館馆駕驾騎骑鬥斗魚鱼鳥鸟` +
	`麼么黃黄黙默壊坏壞坏単单戦战検检権权気气済济覚觉読读変变験验発发対对応应関关閲阅隠隐獲获価价価价圏圈実实図图伝传転转録录絶绝続续総总緑绿縄绳` +
	`両两並并乗乘仮假険险児儿剤剂勧劝営营嘱嘱団团囲围圧压壱壹奨奖嬢娘専专巌岩帰归広广庁厅弾弹従从徳德恵惠悪恶懐怀択择拠据拡扩挙举捜搜摂摄収收効效` +
	`斉齐暁晓楽乐様样歓欢歩步毎每満满滞滞焼烧爲为犠牺畳叠瘦瘦眞真砕碎禅禅稲稻穏稳竜龙粋粋経经聴听脳脑臓脏舗铺芸艺荘庄薬药蔵藏処处虚虚号号装装観观訳译` +
	`豊丰賛赞軽轻辺边遅迟遙遥郷乡醸酿釈释鉄铁鋳铸銭钱陥陷随随霊灵頼赖駅驛髪发鶏鸡麦麦黒黒齢龄亜亚偽伪偽伪倹俭併并側侧備备働动動动勢势協协単单厳严參参`)

// punctuation folds the full stops, commas and quotes of other scripts to ASCII.
var punctuation = map[rune]byte{
	'，': ',', '：': ':', '；': ';', '！': '!', '？': '?', '（': '(', '）': ')', '“': '"', '”': '"', '‘': '\'', '’': '\'', '„': '"',
	'«': '"', '»': '"', '、': ',', '–': '-', '—': '-', '―': '-', '−': '-', '…': '.', '·': '.', '／': '/', '＼': '\\', '｜': '|', '～': '~',
}

func pairs(s string) map[rune]rune {
	m := map[rune]rune{}
	r := []rune(s)
	for i := 0; i+1 < len(r); i += 2 {
		m[r[i]] = r[i+1]
	}
	return m
}

// lookalike replaces a letter of another script that stands in a Latin word, or anywhere when disguise is set.
func lookalike(r, before rune, disguise bool) (string, bool) {
	if r < 0xf8 || r > 0xffff {
		return "", false
	}
	s, ok := latinLike[unicode.ToLower(r)]
	if !ok {
		return "", false
	}
	if unicode.In(r, unicode.Cyrillic, unicode.Greek) && !disguise && (before < 'a' || before > 'z') {
		return "", false
	}
	return string(s), true
}

// cyrillicIsDisguise is true when the Cyrillic and Greek letters of a text are mostly such as have a Latin twin,
// or stand beside more Latin ones: no text of these languages looks like that.
func cyrillicIsDisguise(b []byte) bool {
	twins, others, latin := 0, 0, 0
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			if isLetter(b[i]) {
				latin++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		i += size
		if 0x370 <= r && r < 0x530 {
			if _, ok := latinLike[unicode.ToLower(r)]; ok {
				twins++
			} else {
				others++
			}
		}
	}
	return twins > 0 && others*12 < twins+latin/8
}

// pictured gives the letter inside a circled, squared or regional one.
func pictured(r rune) (string, bool) {
	for _, base := range []rune{0x1f110, 0x1f130, 0x1f150, 0x1f170, 0x1f1e6} {
		if base <= r && r < base+26 {
			return string('a' + r - base), true
		}
	}
	return "", false
}
