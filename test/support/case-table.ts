// The catalogue of the mock's cases as docs/mock.md lists it.

import type { CaseGroup } from '../../src/mock/cases/fault-case.ts';
import { FAULT_CASES } from '../../src/mock/cases/fault-cases.ts';
import { TLS_CASES } from '../../src/mock/cases/tls-cases.ts';
import type { Expected } from '../../src/mock/failure.ts';

/** From the first heading to the end of the last table. */
export const caseTable = (): string =>
  GROUPS.map(([group, title]) => {
    const rows = FAULT_CASES.filter(one => one.group === group).map(
      ({ name, meaning, streaming, plain }) =>
        `| \`${name}\` | ${cell(meaning)} | ${expectedText(streaming)} | ${expectedText(plain)} |`,
    );
    return [
      `### ${title}`,
      '',
      '| name | what the server does | stream | whole |',
      '|---|---|---|---|',
      ...rows,
    ].join('\n');
  })
    .concat(
      [
        '### TLS',
        '',
        '| name | what the server answers to a ClientHello | outcome |',
        '|---|---|---|',
        ...TLS_CASES.map(
          ({ name, meaning, expected }) => `| \`${name}\` | ${cell(meaning)} | ${expectedText(expected)} |`,
        ),
      ].join('\n'),
    )
    .join('\n\n');

/** "timeout (idle)" */
const expectedText = (expected: Expected): string => {
  if (expected.outcome === 'completed') return 'completed';
  const { kind, statusCode, phase } = expected;
  if (phase !== undefined) return `\`${kind}\` (${phase})`;
  return statusCode === undefined ? `\`${kind}\`` : `\`${kind}\` ${statusCode}`;
};

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

const GROUPS: readonly (readonly [CaseGroup, string])[] = [
  ['framing', 'Bodies and their length'],
  ['head', 'Status lines, header fields, interim replies'],
  ['status', 'Statuses of servers, proxies and content networks'],
  ['connection', 'Connections'],
  ['stream', 'Server-sent events'],
  ['content', 'Contents, choices, finish reasons'],
  ['json', 'JSON'],
  ['usage', 'Token counts'],
  ['compression', 'Compression'],
];
