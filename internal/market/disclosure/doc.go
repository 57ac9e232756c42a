// Package disclosure tells what leaves a member's machine: the sections with their sizes and digests, what was masked,
// dropped and kept, the hosts that will be spoken to, the capabilities that are used and where, the environment
// variables that are asked for, plugins and models. All of it is computed from the bytes that leave; what a manifest
// claims is only compared with it. app stores the report with a submission and shows it to its owner and to review.
//
// Everything listed is bounded and says how much there was: a hostile pack cannot grow a report.
package disclosure
