import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeNotices, NOTICE_CODES, type Notice } from '../../src/wire/notice.ts';
import { repositoryRoot } from '../support/repository-root.ts';

const notice: Notice = {
  id: 'http-port-taken',
  code: 'http-port-taken',
  problem: 'HTTP port 4180 is taken; using 4183.',
  advice: '',
  port: 4_180,
  portUsed: 4_183,
};

test('a notice reaches a client with its code and its facts', () => {
  expect(decodeNotices(JSON.parse(JSON.stringify({ problems: [notice] })))).toEqual([notice]);
});

test.each([[undefined], [null], [[]], [{}], [{ problems: [{ id: 'x' }] }]])(
  'an answer such as %j gives no notices',
  answer => {
    expect(decodeNotices(answer)).toEqual([]);
  },
);

test('docs/api.md has every code with its meaning', () => {
  const text = readFileSync(join(repositoryRoot, 'docs/api.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)].map(([, code, meaning]) => [
    code,
    meaning,
  ]);
  expect(rows).toEqual(expect.arrayContaining(Object.entries(NOTICE_CODES)));
});
