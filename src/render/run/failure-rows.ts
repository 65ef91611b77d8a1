// Why requests of a run failed: a row for each cause, what to do about it, and when the server was down.

import { adviceContext, failureAdvice } from '../../core/run/failure-advice.ts';
import {
  FAILURE_COLUMNS,
  failureRows,
  outageLead,
  outageLines,
  unsuccessfulEndLines,
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
        columns: FAILURE_COLUMNS,
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
