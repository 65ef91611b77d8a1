// Why failed requests ended a sweep, a search or a comparison: the run, the reason, what to do, and what the
// server answered, so that the report of that run need not be opened.

import * as v from 'valibot';
import { type Infer, openObject, reported } from '../schema.ts';
import { hangingLines } from '../text/columns.ts';
import { isUnknown } from '../unknown.ts';
import { adviceContext, failureAdvice } from './failure-advice.ts';
import { runFailuresSchema } from './failure-groups.ts';
import { failureSentence } from './failure-text.ts';
import type { Report } from './report.ts';
import { STOP_CAUSES, stopText } from './run-stop.ts';

export const failedStopSchema = openObject({
  /** "stage 1, 4/s", "B, http://127.0.0.1:8001". */
  where: stopText,
  cause: v.picklist(STOP_CAUSES),
  /** One sentence without its full stop. */
  problem: stopText,
  /** One or more sentences. */
  advice: stopText,
  /** Failures of that run. */
  failures: reported(runFailuresSchema),
});

export type FailedStop = Infer<typeof failedStopSchema>;

/** @returns undefined if no rule ended the run */
export const failedStop = (report: Report, where: string): FailedStop | undefined => {
  const { stopped, failures } = report;
  if (stopped === undefined) return undefined;
  const context = adviceContext(report);
  const groups = isUnknown(failures) ? [] : failures.groups;
  const advice = new Set([...groups.map(group => failureAdvice(group, context)), stopped.advice]);
  return {
    where,
    cause: stopped.cause,
    problem: stopped.problem,
    advice: [...advice].filter(text => text !== '').join(' '),
    failures,
  };
};

/** "at B, http://127.0.0.1:8001: every request would fail …" */
export const failedStopReason = ({ where, problem }: FailedStop): string => `at ${where}: ${problem}`;

/** "Stopped at B, http://127.0.0.1:8001: every request would fail …. Provide a key …" */
export const failedStopText = (stop: FailedStop): string =>
  `Stopped ${failedStopReason(stop)}. ${stop.advice}`;

/** The first lines of the output: the reason with what to do, and a line for each cause. */
export const failedStopLines = (stop: FailedStop, columns: number): readonly string[] => [
  ...hangingLines('', failedStopText(stop).replace(/^Stopped/, 'STOPPED'), columns),
  ...(isUnknown(stop.failures)
    ? []
    : stop.failures.groups.flatMap(group => hangingLines('  ', failureSentence(group), columns))),
];
