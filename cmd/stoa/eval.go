package main

type evalCmd struct {
	Scan evalScanCmd `cmd:"" help:"Measure the scanner on labelled texts."`
}
