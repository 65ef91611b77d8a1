// An acceptance as JUnit XML: a case for each check of each part. What cannot be judged is skipped, with its reason.

import type { Acceptance, JudgedCheck } from '../core/acceptance/acceptance-document.ts';
import { ACCEPTANCE } from '../render/acceptance/acceptance-report.ts';
import { type JunitCase, junitXml } from './junit.ts';

export const acceptanceJunit = (document: Acceptance): string =>
  junitXml({
    suite: 'plimsoll accept',
    startedAt: document.startedAt,
    cases: document.stages.flatMap(({ key, checks }) =>
      checks.map(
        ({ title, subject, result, reason }): JunitCase => ({
          className: `plimsoll.accept.${key}`,
          name: `${title}: ${subject}`,
          state: STATES[result],
          text: reason,
        }),
      ),
    ),
    output: ACCEPTANCE.findings(document).result,
  });

const STATES: Readonly<Record<JudgedCheck['result'], JunitCase['state']>> = {
  pass: 'passed',
  fail: 'failure',
  undecided: 'skipped',
};
