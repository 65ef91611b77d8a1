// `--fail-if`, `--fail-if-undecided`, `--junit`, `--markdown`: the rules of a CI job for a comparison, and where to write the result.

import type { ComparisonDocument, ComparisonGate } from '../../core/comparison/comparison-document.ts';
import { type GateRule, judgeGate, parseGateRule } from '../../core/comparison/gate.ts';
import { nonEmpty, type Option, optionsIn } from '../../core/option/option.ts';
import { comparisonJunit } from '../../report/comparison-junit.ts';
import { comparisonMarkdown } from '../../report/markdown/comparison-markdown.ts';
import type { Invocation } from '../command.ts';
import type { ExitName } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { writeExport } from '../report/write-export.ts';

const { flag, repeated, value } = optionsIn('Gate');

const failIfOption = repeated<GateRule>({
  name: 'fail-if',
  isCommon: true,
  valueName: 'RULE',
  meaning:
    "Exit with 18 if B has changed by more: 'ttft.p90 > +5%'. The near end of the interval counts. With rules the primary metric decides nothing.",
  parse: parseGateRule,
});
const failIfUndecidedOption = flag(
  'fail-if-undecided',
  'With rules: exit with 19 if one of them is undecided.',
);
const junitOption = value({
  name: 'junit',
  isOfOneCall: true,
  valueName: 'FILE',
  meaning: 'Write JUnit XML for a CI server.',
  parse: nonEmpty,
});
const markdownOption = value({
  name: 'markdown',
  isOfOneCall: true,
  valueName: 'FILE',
  meaning: 'Write Markdown for a pull request.',
  parse: nonEmpty,
});

export const GATE_OPTIONS: readonly Option<unknown>[] = [
  failIfOption,
  failIfUndecidedOption,
  junitOption,
  markdownOption,
];

/** Where the result is written; given again with each call. */
export const GATE_FILES: readonly Option<unknown>[] = [junitOption, markdownOption];

/** The document with the result of its gate, if there is one: its outcome decides the exit code. */
export const gated = (document: ComparisonDocument, invocation: Invocation): ComparisonDocument => ({
  ...document,
  gate: judgeGate(document, {
    rules: invocation.option(failIfOption),
    failsIfUndecided: invocation.option(failIfUndecidedOption),
  }),
});

/** Writes the requested files. @returns one line for each file @throws CommandError */
export const writeGateFiles = async (
  document: ComparisonDocument,
  { invocation, state }: { readonly invocation: Invocation; readonly state: ProcessState },
): Promise<string> => {
  let reported = '';
  for (const [file, text] of [
    [invocation.option(junitOption), comparisonJunit(document)],
    [invocation.option(markdownOption), comparisonMarkdown(document)],
  ] as const)
    if (file !== undefined) reported += await writeExport({ file, text: () => Promise.resolve(text) }, state);
  return reported;
};

/** How a comparison that is complete ends. */
export const gateExit = ({ gate }: Pick<ComparisonDocument, 'gate'>): ExitName =>
  GATE_EXITS[gate?.outcome ?? 'not-comparable'];

const GATE_EXITS: Readonly<Record<ComparisonGate['outcome'], ExitName>> = {
  passed: 'ok',
  worse: 'benchWorse',
  broken: 'benchWorse',
  undecided: 'benchUndecided',
  'not-comparable': 'benchNotComparable',
};
