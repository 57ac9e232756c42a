package main

type evalCmd struct {
	Scan       evalScanCmd       `cmd:"" help:"Measure the scanner on labelled texts."`
	Strategies evalStrategiesCmd `cmd:"" help:"Measure the three strategies against fixed baselines on simulated students."`
}
