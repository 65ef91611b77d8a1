import { expect, test } from 'vitest';
import type { QueryOutcome } from '../../src/mesh/requests.ts';
import { encodeRequest, REQUEST_BYTES_MAX } from '../../src/wire/request-message.ts';
import { QueryingNodes } from '../support/querying-nodes.ts';

const never = new AbortController().signal;
const options = { timeoutMs: 5_000, signal: never };

test('a question is answered by the handler of its topic, who learns who asks', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno']);
  const [atlas, juno] = [all.at(0), all.at(1)];
  juno.requests.serve('greet', ({ from, body }) => ({ kind: 'answer', body: { from, body } }));
  expect(await atlas.requests.request(juno.id, 'greet', { word: 'salve' }, options)).toEqual({
    kind: 'answer',
    body: { from: atlas.id, body: { word: 'salve' } },
  });
});

test('an unknown topic is refused in words', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno']);
  const outcome = await all.at(0).requests.request(all.at(1).id, 'of the future', null, options);
  expect(outcome).toEqual({ kind: 'refused', reason: 'this version does not know the request' });
});

test('without a link nobody is reached', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno']);
  const outcome = await all.at(0).requests.request(all.at(0).id, 'greet', null, options);
  expect(outcome).toEqual({ kind: 'unreachable', reason: 'there is no link to it' });
});

test('a handler that never answers costs the requester its own timeout, and is stopped', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno']);
  const stopped = Promise.withResolvers<void>();
  all.at(1).requests.serve('wait', async ({ signal }) => {
    signal.addEventListener('abort', () => stopped.resolve(), { once: true });
    await stopped.promise;
    return { kind: 'answer', body: 'too late' };
  });
  const requested = all.at(0).requests.request(all.at(1).id, 'wait', null, options);
  await all.clock.advance(5_000);
  expect(await requested).toEqual({ kind: 'timeout', reason: 'it did not answer within 5 s' });
  await all.clock.advance(1_000);
  await stopped.promise;
  expect(all.at(0).requests.counts.unrequested).toBe(1);
});

test('a cable that is cut leaves a question without an answer, not for ever', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno']);
  all.at(1).requests.serve('greet', () => ({ kind: 'answer', body: 1 }));
  all.network.cut(all.at(0).transport, all.at(1).transport);
  const requested = all
    .at(0)
    .requests.request(all.at(1).id, 'greet', null, { ...options, timeoutMs: 60_000 });
  await all.clock.advance(7_000);
  expect(await requested).toEqual({ kind: 'unreachable', reason: 'its link was closed' });
});

test('a requester that is aborted stops at once', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno']);
  const stop = new AbortController();
  all.at(1).requests.serve('wait', () => new Promise(() => undefined));
  const requested = all
    .at(0)
    .requests.request(all.at(1).id, 'wait', null, { ...options, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(requested).rejects.toThrow('enough');
});

test('what is too long is refused before it is sent, in both directions', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno']);
  const long = 'x'.repeat(REQUEST_BYTES_MAX);
  all.at(1).requests.serve('long', () => ({ kind: 'answer', body: long }));
  const request = (body: string): Promise<QueryOutcome> =>
    all.at(0).requests.request(all.at(1).id, 'long', body, options);
  expect(await request(long)).toEqual({ kind: 'refused', reason: 'the request is too long' });
  expect(await request('')).toEqual({ kind: 'refused', reason: 'the reply is too long' });
});

test('a peer that asks too much at once is refused, and one that floods is not even answered', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno'], { answersPerPeerMax: 2, queriesBurst: 8 });
  const go = Promise.withResolvers<void>();
  all.at(1).requests.serve('wait', async () => {
    await go.promise;
    return { kind: 'answer', body: true };
  });
  const requested = Array.from({ length: 12 }, () =>
    all.at(0).requests.request(all.at(1).id, 'wait', null, options),
  );
  await all.clock.advance(0);
  go.resolve();
  await all.clock.advance(5_000);
  const kinds = (await Promise.all(requested)).map(({ kind }) => kind);
  expect(kinds.filter(kind => kind === 'answer').length).toBe(2);
  expect(kinds.filter(kind => kind === 'refused').length).toBe(6);
  expect(kinds.filter(kind => kind === 'timeout').length).toBe(4);
  expect(all.at(1).requests.counts.overRate).toBe(10);
});

test('garbage of a peer is counted and changes nothing', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno']);
  const link = all.at(0).transport.links.get(all.at(1).id);
  const request = encodeRequest({ kind: 'ask', id: 1, topic: 'greet', timeoutMs: 1, body: null });
  if (link === undefined || request === undefined) throw new Error('there is a link, and the ask is short');
  const wrong = [
    request.subarray(0, 9),
    new Uint8Array([1, 9]),
    new Uint8Array([1, 10, 0x7b, 0x7d]),
    new TextEncoder().encode('\u0001\u0009{"id":-1,"topic":"a","timeoutMs":1,"body":1}'),
    new TextEncoder().encode('\u0001\u0009{"id":1,"topic":7,"timeoutMs":1,"body":1}'),
    new TextEncoder().encode('\u0001\u0009{"id":1,"topic":"a","timeoutMs":"x","body":1}'),
    new TextEncoder().encode('\u0001\u000a{"id":1}'),
  ];
  for (const frame of wrong) link.send(frame);
  await all.clock.advance(100);
  expect(all.at(1).requests.counts.malformed).toBe(wrong.length);
  expect(link.isOpen).toBe(true);
});

test('of a flood of garbage and of replies to nothing only as much is read as a peer may send', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno'], { framesBurst: 8, framesPerSecond: 1 });
  const link = all.at(0).transport.links.get(all.at(1).id);
  const reply = encodeRequest({ kind: 'answer', id: 7, body: null });
  if (link === undefined || reply === undefined) throw new Error('there is a link, and the reply is short');
  for (let count = 0; count < 10; count += 1) {
    link.send(new Uint8Array([1, 9]));
    link.send(reply);
  }
  await all.clock.advance(100);
  expect(all.at(1).requests.counts).toMatchObject({ malformed: 4, unrequested: 4, overRate: 12 });
});

test('a handler that throws ends the requests with what it threw', async () => {
  await using all = await QueryingNodes.start(['atlas', 'juno']);
  all.at(1).requests.serve('break', () => {
    throw new Error('unforeseen');
  });
  const requested = all.at(0).requests.request(all.at(1).id, 'break', null, options);
  await expect(all.at(1).running).rejects.toThrow('unforeseen');
  await all.clock.advance(5_000);
  expect((await requested).kind).toBe('timeout');
});
