// JUnit XML, which every CI server can show.

import { type Markup, markup } from '../render/text/markup.ts';

export interface JunitCase {
  /** "plimsoll.compare": servers group by it. */
  readonly className: string;
  readonly name: string;
  readonly state: 'passed' | 'failure' | 'error' | 'skipped';
  readonly text: string;
}

interface JunitSuite {
  readonly suite: string;
  /** ISO 8601 */
  readonly startedAt: string;
  readonly cases: readonly JunitCase[];
  readonly output: string;
}

export const junitXml = ({ suite, startedAt, cases, output }: JunitSuite): string => {
  const count = (state: JunitCase['state']): number => cases.filter(one => one.state === state).length;
  const { markup: text } = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
<testsuite name="${suite}" timestamp="${startedAt.replace(/(\.\d+)?Z$/, '')}" tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}" time="0">
${cases.map(caseMarkup)}<system-out>${output}</system-out>
</testsuite>
</testsuites>
`;
  return text;
};

const caseMarkup = ({ className, name, state, text }: JunitCase): Markup => {
  switch (state) {
    case 'passed':
      return markup`<testcase classname="${className}" name="${name}" time="0"/>\n`;
    case 'failure':
      return markup`<testcase classname="${className}" name="${name}" time="0"><failure message="${text}">${text}</failure></testcase>\n`;
    case 'error':
      return markup`<testcase classname="${className}" name="${name}" time="0"><error message="${text}">${text}</error></testcase>\n`;
    case 'skipped':
      return markup`<testcase classname="${className}" name="${name}" time="0"><skipped message="${text}"/></testcase>\n`;
    default:
      return state satisfies never;
  }
};
