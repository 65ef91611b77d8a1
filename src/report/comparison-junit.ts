// A comparison as JUnit XML, which every CI server can show: whether the sides are comparable, then each rule of the
// gate, or the primary metric without a gate. Undecided rules are skipped unless they make the gate fail.

import type { ComparisonDocument, GateAnswer } from '../core/comparison/comparison-document.ts';
import { gateAnswerText } from '../render/comparison/gate-text.ts';
import { type JunitCase, junitXml } from './junit.ts';

export const comparisonJunit = (document: ComparisonDocument): string =>
  junitXml({
    suite: 'plimsoll compare',
    startedAt: document.startedAt,
    cases: [comparableCase(document), ...ruleCases(document)].map(one => ({
      className: 'plimsoll.compare',
      ...one,
    })),
    output: document.sentence,
  });

type TestCase = Omit<JunitCase, 'className'>;

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
