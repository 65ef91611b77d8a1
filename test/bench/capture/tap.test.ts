import { expect, test } from 'vitest';
import { Tap } from '../../../src/bench/capture/tap.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('requests without a body that wait for the recorder are bounded, too, and those above the bound are lost', async () => {
  using directory = temporaryDirectory();
  const sizes = { fileBytesMax: 2 ** 28, totalBytesMax: 2 ** 30 };
  const tap = new Tap({ folder: directory.path, ...sizes, keepsText: false });
  expect(await tap.ready).toBeUndefined();
  const begun = 300_000;
  // All in one turn of the loop: the recorder cannot report what it has read.
  for (let sent = 0; sent < begun; sent += 1) {
    const exchange = tap.request({ api: 'chat', atMs: 0, encoding: '', session: undefined });
    tap.end(exchange, 'cancelled', 1);
  }
  await tap.stop();
  const { lost = 0, cancelled = 0 } = tap.figures ?? {};
  expect(lost).toBeGreaterThan(begun / 100);
  expect(cancelled).toBeGreaterThan(0);
  expect(lost + cancelled).toBe(begun);
});
