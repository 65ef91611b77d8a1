// Why requests failed, at the top of the page of a run: one row for each cause with advice, and when the server was
// down.

import { adviceContext, failureAdvice } from '../../core/run/failure-advice.ts';
import {
  FAILURE_COLUMNS,
  failureRows,
  outageLead,
  outageLines,
  unsuccessfulEndLines,
} from '../../core/run/failure-text.ts';
import type { Report } from '../../core/run/report.ts';
import { type Markup, markup } from '../../core/text/markup.ts';
import { isUnknown } from '../../core/unknown.ts';

export const failureTable = (report: Report): Markup | undefined => {
  const { failures } = report;
  if (isUnknown(failures) || failures.groups.length === 0) return undefined;
  const advice = failures.groups.map(group => failureAdvice(group, adviceContext(report)));
  return markup`<section class="failures" aria-label="Why requests failed"><table>
<thead><tr>${FAILURE_COLUMNS.map(title => markup`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${failureRows(failures).map(
    ([count, why, when, message], index) =>
      markup`<tr><td>${count}</td><th scope="row">${why}</th><td>${when}</td><td class="said">${message}${
        advice[index] === undefined || advice[index] === '' ? undefined : markup`<p>${advice[index]}</p>`
      }</td></tr>`,
  )}</tbody></table>${
    failures.outages.length === 0
      ? undefined
      : markup`<p>${outageLead(failures.outages)}:</p><ul>${outageLines(failures.outages).map(line => markup`<li>${line}</li>`)}</ul>`
  }${unsuccessfulEndLines(failures).map(line => markup`<p>${line}</p>`)}</section>`;
};
