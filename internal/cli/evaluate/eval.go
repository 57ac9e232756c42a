package evaluate

// EvalCmd is `stoa eval`.
type EvalCmd struct {
	Scan          evalScanCmd          `cmd:"" help:"Measure the scanner on labelled texts."`
	Mastery       evalMasteryCmd       `cmd:"" help:"Measure the model of knowledge on a log of answers."`
	Recall        evalRecallCmd        `cmd:"" help:"Measure the model of memory on a log of reviews."`
	Strategies    evalStrategiesCmd    `cmd:"" help:"Measure the three strategies against fixed baselines on simulated students."`
	Selection     evalSelectionCmd     `cmd:"" help:"Measure how safely and how fast a better strategy is chosen."`
	Units         evalUnitsCmd         `cmd:"" help:"Measure what of a folder of notes is offered for learning, and what is left out."`
	Prerequisites evalPrerequisitesCmd `cmd:"" help:"Measure the prerequisites that are inferred of a folder of notes against judgements by hand."`
	Questions     evalQuestionsCmd     `cmd:"" help:"Measure the questions that a folder of notes gives."`
	Judge         evalJudgeCmd         `cmd:"" help:"Measure how answers to the questions of a folder of notes are judged."`
	Governance    evalGovernanceCmd    `cmd:"" help:"Measure how often the watch over quality cries wolf, and how soon it sees a fall."`
}
