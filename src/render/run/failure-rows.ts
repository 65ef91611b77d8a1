// Why requests of a run failed: a row for each cause, what to do about it, and when the server was down.

import { formatClock } from '../../core/figure/duration.ts';
import { adviceContext, failureAdvice } from '../../core/run/failure-advice.ts';
import type { RunFailures } from '../../core/run/failure-groups.ts';
import {
  failureCountText,
  failureLabel,
  failureMessage,
  failureTimes,
  outageLead,
  outageLines,
} from '../../core/run/failure-text.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { Section } from '../section.ts';

/** Of a report, or of a run in progress. */
export const failureSection = (
  report: Pick<Report, 'failures'> & Parameters<typeof adviceContext>[0],
): Section | undefined => {
  const { failures } = report;
  if (isUnknown(failures) || failures.groups.length === 0) return undefined;
  const advice = new Set(failures.groups.map(group => failureAdvice(group, adviceContext(report))));
  return {
    key: 'failures',
    title: 'Why requests failed',
    tables: [
      {
        name: 'Why requests failed',
        columns: ['failed', 'why', 'when', 'message'],
        rows: failureRows(failures),
        texts: [1, 2, 3],
        codes: [3],
      },
    ],
    remarks: [
      ...[...advice].filter(text => text !== ''),
      ...failures.outages.flatMap(outage =>
        outageLines([outage]).map(line => `${outageLead([outage])}: ${line}`),
      ),
      ...unsuccessfulEndLines(failures),
    ],
  };
};

/** One row for each group, and one for the failures that are in none. */
const failureRows = ({ groups, others }: RunFailures): readonly (readonly string[])[] => [
  ...groups.map(group => [
    failureCountText(group),
    failureLabel(group),
    failureTimes(group),
    failureMessage(group),
  ]),
  ...(others === undefined
    ? []
    : [[failureCountText(others), 'other', failureTimes(others), 'other messages, each of few requests']]),
];

/** "Nothing succeeded from 0:05 to 0:12: the rates are those of the time before." */
const unsuccessfulEndLines = ({ unsuccessfulEnd: end }: RunFailures): readonly string[] =>
  end === undefined
    ? []
    : [
        `Nothing succeeded from ${formatClock(end.fromNs / 1e6)} to ${formatClock(end.toNs / 1e6)}: the rates are those of the time before.`,
      ];
