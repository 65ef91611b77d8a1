// A comparison as JUnit XML, which every CI server can show: whether the sides are comparable, then each rule of the
// gate, or the primary metric without a gate. Undecided rules are skipped unless they make the gate fail.

import type { ComparisonDocument, GateAnswer } from '../core/comparison/comparison-document.ts';
import { gateAnswerText } from '../render/comparison/gate-text.ts';
import { type Markup, markup } from '../render/text/markup.ts';

interface TestCase {
  readonly name: string;
  readonly state: 'passed' | 'failure' | 'error' | 'skipped';
  readonly text: string;
}

export const comparisonJunit = (document: ComparisonDocument): string => {
  const cases = [comparableCase(document), ...ruleCases(document)];
  const count = (state: TestCase['state']): number => cases.filter(one => one.state === state).length;
  const { markup: text } = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
<testsuite name="plimsoll compare" timestamp="${document.startedAt.replace(/(\.\d+)?Z$/, '')}" tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}" time="0">
${cases.map(caseMarkup)}<system-out>${document.sentence}</system-out>
</testsuite>
</testsuites>
`;
  return text;
};

const caseMarkup = ({ name, state, text }: TestCase): Markup => {
  switch (state) {
    case 'passed':
      return markup`<testcase classname="plimsoll.compare" name="${name}" time="0"/>\n`;
    case 'failure':
      return markup`<testcase classname="plimsoll.compare" name="${name}" time="0"><failure message="${text}">${text}</failure></testcase>\n`;
    case 'error':
      return markup`<testcase classname="plimsoll.compare" name="${name}" time="0"><error message="${text}">${text}</error></testcase>\n`;
    case 'skipped':
      return markup`<testcase classname="plimsoll.compare" name="${name}" time="0"><skipped message="${text}"/></testcase>\n`;
    default:
      return state satisfies never;
  }
};

const comparableCase = ({ refusals, isAnyway }: ComparisonDocument): TestCase => ({
  name: 'A and B are comparable',
  state: refusals.length === 0 ? 'passed' : isAnyway ? 'skipped' : 'error',
  text: refusals.map(({ problem, a, b }) => `${problem} (A: ${a}; B: ${b})`).join('; '),
});

const ruleCases = (document: ComparisonDocument): readonly TestCase[] => {
  const { gate, verdict, sentence, metrics, refusals, isAnyway } = document;
  if (refusals.length > 0 && !isAnyway) return [];
  const undecided = gate?.failsIfUndecided === true ? 'failure' : 'skipped';
  if (gate !== undefined && gate.rules.length > 0)
    return gate.rules.map(answer => ({
      name: answer.rule,
      state: answer.state === 'open' ? undecided : STATES[answer.state],
      text: gateAnswerText(answer),
    }));
  const name = `B is not worse in ${metrics.find(({ isPrimary }) => isPrimary)?.label ?? 'the primary metric'}`;
  switch (verdict.kind) {
    case 'worse':
      return [{ name, state: 'failure', text: sentence }];
    case 'undecided':
      return [{ name, state: undecided, text: sentence }];
    case 'not-comparable':
      return [{ name, state: 'error', text: sentence }];
    case 'better':
    case 'same':
    case 'different':
      return [{ name, state: 'passed', text: sentence }];
    default:
      return verdict satisfies never;
  }
};

const STATES: Readonly<Record<Exclude<GateAnswer['state'], 'open'>, TestCase['state']>> = {
  passes: 'passed',
  broken: 'failure',
  unknown: 'error',
};
