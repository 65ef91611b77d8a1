import { expect, test } from 'vitest';
import { decodeNotices, type Notice } from '../../src/wire/notice.ts';

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
