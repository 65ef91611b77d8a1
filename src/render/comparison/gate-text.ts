// The gate of a comparison as text, for the terminal, a pull request, a CI server and the page.

import type {
  ComparisonDocument,
  ComparisonGate,
  GateAnswer,
} from '../../core/comparison/comparison-document.ts';
import { ratioText } from '../../core/comparison/comparison-labels.ts';
import { counted } from '../../core/figure/figure.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown } from '../../core/unknown.ts';

/** "The gate fails: 1 of 3 rules broken"; without rules, the verdict of the primary metric. */
export const gateSentence = (gate: ComparisonGate): string => {
  const { rules, outcome } = gate;
  const text = outcomeText(gate);
  if (rules.length === 0) return capitalized(text);
  return `The gate ${outcome === 'passed' ? 'passes' : 'fails'}: ${text}`;
};

const outcomeText = ({ rules, outcome }: ComparisonGate): string => {
  const count = (state: GateAnswer['state']): number => rules.filter(rule => rule.state === state).length;
  const ofRules = `of ${counted(rules.length, 'rule')}`;
  switch (outcome) {
    case 'passed':
      if (rules.length === 0) return 'B is not worse';
      return count('open') === 0 ? 'no rule broken' : `no rule broken, ${count('open')} ${ofRules} undecided`;
    case 'broken':
      return `${count('broken')} ${ofRules} broken`;
    case 'worse':
      return 'B is worse';
    case 'undecided':
      return rules.length === 0 ? 'undecided' : `${count('open')} ${ofRules} undecided`;
    case 'not-comparable':
      return 'not comparable';
    default:
      return outcome satisfies never;
  }
};

export const gateStateLabel = (state: GateAnswer['state']): string => GATE_STATE_LABELS[state];

/** "ttft.p90 > +5%: broken, nearest end +5.7 %". */
export const gateAnswerText = ({ rule, state, nearest }: GateAnswer): string =>
  `${rule}: ${gateStateLabel(state)}, ${isUnknown(nearest) ? nearest.reason : `nearest end of the interval ${ratioText(1 + nearest)}`}`;

/** Exit code of the process, also shown on the page: docs/cli.md. */
export const gateCode = ({ outcome }: ComparisonGate): number => GATE_CODES[outcome];

/** Empty if no gate was set. */
export const gateLines = ({ gate }: Pick<ComparisonDocument, 'gate'>): readonly string[] =>
  gate === undefined || gate.rules.length === 0
    ? []
    : [`${gateSentence(gate)}.`, ...gate.rules.map(gateAnswerText)];

const GATE_STATE_LABELS: Readonly<Record<GateAnswer['state'], string>> = {
  passes: 'passes',
  broken: 'broken',
  open: 'undecided',
  unknown: 'not comparable',
};

const GATE_CODES: Readonly<Record<ComparisonGate['outcome'], number>> = {
  passed: 0,
  worse: 18,
  broken: 18,
  undecided: 19,
  'not-comparable': 20,
};
