package accounts

import (
	"cmp"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/platform/store/memberdb"
)

// mailText is what mails say in one language; %t stands for what a notification is about, %c for a code.
type mailText struct {
	subjects                map[string]string
	codeSubject, codeBody   string
	details, open, settings string
}

var mailTexts = map[string]mailText{
	"en-US": {
		subjects: map[string]string{
			core.ToldApproved: "Your submission was approved: %t", core.ToldRejected: "Your submission was not approved: %t", core.ToldMessage: "A reviewer wrote to you about %t", core.ToldUpdate: "Update available: %t",
			core.ToldWithdrawn: "No longer in the catalog: %t", core.ToldVerdict: "Risk level changed: %t", core.ToldExpired: "Your trial has ended: %t",
			core.ToldRated: "New rating: %t", core.ToldAnswered: "The author answered your review: %t", core.ToldHidden: "Your review was hidden: %t",
		},
		codeSubject: "Confirm your email address", codeBody: "Enter this code in your Stoa account to receive notifications by email:\n\n%c\n\nIf you did not ask for this, ignore this message.",
		details: "Details (in English): ", open: "Open: ", settings: "Change what you are told: ",
	},
	"zh-CN": {
		subjects: map[string]string{
			core.ToldApproved: "投稿已通过审核：%t", core.ToldRejected: "投稿未通过审核：%t", core.ToldMessage: "审核者就你的投稿留言：%t", core.ToldUpdate: "有可用更新：%t",
			core.ToldWithdrawn: "已从目录下架：%t", core.ToldVerdict: "风险等级有变：%t", core.ToldExpired: "试用已结束：%t",
			core.ToldRated: "收到新评分：%t", core.ToldAnswered: "作者回复了你的评价：%t", core.ToldHidden: "你的评价已被隐藏：%t",
		},
		codeSubject: "确认你的电子邮箱", codeBody: "请在 Stoa 账号页面输入以下验证码，以便通过邮件接收通知：\n\n%c\n\n如果这不是你本人的操作，请忽略此邮件。",
		details: "详情（英文）：", open: "打开：", settings: "更改通知设置：",
	},
	"ja-JP": {
		subjects: map[string]string{
			core.ToldApproved: "投稿が承認されました：%t", core.ToldRejected: "投稿は承認されませんでした：%t", core.ToldMessage: "審査担当者からメッセージがあります：%t", core.ToldUpdate: "更新があります：%t",
			core.ToldWithdrawn: "カタログから取り下げられました：%t", core.ToldVerdict: "リスクレベルが変わりました：%t", core.ToldExpired: "お試しが終了しました：%t",
			core.ToldRated: "新しい評価：%t", core.ToldAnswered: "レビューに作者が返信しました：%t", core.ToldHidden: "レビューが非表示になりました：%t",
		},
		codeSubject: "メールアドレスの確認", codeBody: "通知をメールで受け取るには、Stoa のアカウント画面で次のコードを入力してください。\n\n%c\n\nお心当たりがない場合は、このメールを無視してください。",
		details: "詳細（英語）：", open: "開く：", settings: "通知の設定を変更：",
	},
}

// mailWords are subject and body of a mail in the member's language.
func mailWords(locale string, one memberdb.Delivery, base string) (subject, body string) {
	words, ok := mailTexts[locale]
	if !ok {
		words = mailTexts["en-US"]
	}
	if one.Kind == mailCode {
		return words.codeSubject, strings.ReplaceAll(words.codeBody, "%c", one.Message) + "\n"
	}
	// What it is about and the message have words of other people in them. They begin no line, so that none of them is taken for
	// the one with the address.
	subject = strings.ReplaceAll(words.subjects[one.Kind], "%t", strings.Join(strings.Fields(one.Target), " "))
	message := strings.Join(strings.Fields(one.Message), " ")
	return subject, subject + "\n\n" + words.details + message + "\n\n" + words.open + base + cmp.Or(one.Page, core.About{}.Page()) + "\n" + words.settings + base + "/member?view=session\n"
}
