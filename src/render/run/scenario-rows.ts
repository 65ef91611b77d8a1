// Whether a run is valid by the rules of its scenario, in every form of a report: the verdict with its reasons, and a row
// for each rule.

import { figureText, formatThreeDigits } from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import { judgedRules } from '../../core/scenario/scenario-rules.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { Section } from '../section.ts';

export const scenarioSection = (report: Report): Section | undefined => {
  const { scenario } = report.run;
  if (scenario === undefined) return undefined;
  const rules = judgedRules(report);
  return {
    key: 'scenario',
    title: 'Scenario',
    count: scenario.name,
    note: 'a run is valid if it keeps every rule',
    lead: scenarioLines(report),
    tables: [
      {
        name: 'Rules',
        columns: ['Rule', 'kept'],
        texts: [0, 1],
        rows: rules.map(({ requires, broken }) => [
          requires,
          broken === undefined ? { text: 'yes', tone: 'good' } : { text: `no: ${broken}`, tone: 'bad' },
        ]),
      },
    ],
  };
};

/** For the first screen: the verdict with its reasons, and the figure that the scenario is about; none without one. */
export const scenarioLines = (report: Report): readonly string[] => {
  const { scenario } = report.run;
  if (scenario === undefined) return [];
  const reasons = judgedRules(report).flatMap(({ broken }) => broken ?? []);
  const verdict = reasons.length === 0 ? 'valid' : `not valid: ${reasons.join('; ')}`;
  return [`Scenario ${scenario.name}: ${verdict}`, interactivityText(report)];
};

const interactivityText = ({ scenario }: Report): string => {
  const value = scenario?.normalizedInteractivity;
  const name = 'E2E normalized interactivity';
  if (value === undefined) return `${name}: unknown, its requests cannot be read`;
  return isUnknown(value)
    ? `${name}: unknown, ${value.reason}`
    : `${name}: ${figureText({ figure: formatThreeDigits(value), unit: 'tok/s' })} for each user (1 / p90 of latency / output tokens)`;
};
