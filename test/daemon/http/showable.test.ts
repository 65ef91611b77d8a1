import { expect, test } from 'vitest';
import { sendRequest } from './http-exchange.ts';
import { identityFact, memoryFact, OTHER, serveCluster } from './served-cluster.ts';
import { openStream } from './stream-reader.ts';

/** Turns the direction of writing, controls a terminal, breaks the line, hides. */
const NASTY = 'gpu\u202e01\u2066\u001b[31m\rred\u0007\u0085\u200b';
/** As bytes: JSON may write the control characters as escapes, which no terminal obeys. */
const hasRaw = (text: string): boolean =>
  [...'\u202e\u2066\u001b\r\u0007\u0085\u200b'].some(sign => text.includes(sign));

test('what a member calls itself reaches no reader with signs that turn or break a line', async () => {
  await using served = await serveCluster();
  served.report(OTHER, identityFact(NASTY), memoryFact(64));
  for (const path of ['/metrics', '/api/nodes', '/api/state', `/api/nodes/${OTHER}`]) {
    const { status, body } = await sendRequest({ port: served.port, path });
    expect(status, path).toBe(200);
    expect(body, path).toContain('gpu01');
    expect(hasRaw(body), path).toBe(false);
  }
});

test('nor does the stream bring them, in its snapshot or its batches', async () => {
  await using served = await serveCluster();
  served.report(OTHER, identityFact(NASTY));
  using stream = await openStream(served.port);
  const snapshot = await stream.need('snapshot');
  served.report(OTHER, identityFact(`later ${NASTY}`));
  await served.clock.advance(200);
  const batch = await stream.need('batch');
  for (const { text } of [snapshot, batch]) {
    expect(text).toContain('gpu01');
    expect(hasRaw(text)).toBe(false);
  }
});
