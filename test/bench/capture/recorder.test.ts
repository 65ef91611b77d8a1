import { expect, test } from 'vitest';
import { Recorder } from '../../../src/bench/capture/recorder.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('bodies that are not whole take bounded memory: of those that exceed it the largest is recorded without blocks', () => {
  using directory = temporaryDirectory();
  const sizes = { fileBytesMax: 2 ** 20, totalBytesMax: 2 ** 30 };
  using recorder = new Recorder({ folder: directory.path, ...sizes, keepsText: false });
  const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] }));
  const padded = Buffer.concat([body, Buffer.alloc(30 * 2 ** 20, ' ')]);
  const bodies = [body, ...Array.from({ length: 9 }, () => padded)];
  for (const [exchange, bytes] of bodies.entries()) {
    const begun = { exchange, atMs: 0, api: 'chat', encoding: '', session: undefined };
    recorder.take({ kind: 'request', ...begun }, bytes);
    recorder.take({ kind: 'request-body', exchange, start: 0, end: bytes.length }, bytes);
  }
  for (const exchange of bodies.keys())
    recorder.take({ kind: 'end', exchange, atMs: 1, how: 'cancelled' }, body);
  expect(recorder.figures).toMatchObject({ unread: 1, lost: 0 });
});
