import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startMock } from '../../src/mock/mock-server.ts';
import { rawConnection, wholeReply } from '../support/raw-http.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { chunksOf, contentOf, type Entry, mockLogOf, question, request } from './requesting.ts';

test('the log equals what a thousand concurrent clients got', async () => {
  using folder = temporaryDirectory();
  const logFile = join(folder.path, 'mock.jsonl');
  let entries: readonly Entry[];
  const got = new Map<string, { readonly bytes: number; readonly tokens: number; readonly chunks: number }>();
  {
    await using mock = await startMock({
      ttftMs: 5,
      gapMs: 1,
      outputTokens: { min: 1, max: 40 },
      tokensPerChunk: 2,
      logFile,
    });
    const extra = { stream_options: { include_usage: true } };
    await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) => {
        const id = `sample-${index}`;
        const reply = await request(mock, {
          prompt: `question ${index}`,
          extra,
          headers: [`x-plimsoll-sample: ${id}`],
        });
        const chunks = chunksOf(reply.body);
        got.set(id, {
          bytes: reply.bytes.length,
          tokens: chunks.find(chunk => chunk.usage !== undefined)?.usage?.completion_tokens ?? 0,
          chunks: chunks.filter(chunk => chunk.choices?.[0]?.delta?.content).length,
        });
      }),
    );
    const account = await mockLogOf(mock);
    entries = account.entries;
    expect(account).toMatchObject({
      requests: 1_000,
      running: 0,
      outcomes: { completed: 1_000 },
      clientsGone: 0,
      entriesForgotten: 0,
    });
    expect(account.outputTokens).toBe([...got.values()].reduce((sum, { tokens }) => sum + tokens, 0));
  }
  expect(
    new Map(
      entries.map(entry => [
        entry.id,
        { bytes: entry.bytes, tokens: entry.outputTokens, chunks: entry.chunks },
      ]),
    ),
  ).toEqual(new Map([...got].sort(([a], [b]) => (a < b ? -1 : 1))));
  for (const { readNs, firstByteNs, firstContentNs, lastContentNs, lastNs } of entries) {
    const times = [readNs, firstByteNs, firstContentNs, lastContentNs, lastNs].map(Number);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  }
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  expect(lines.map((line): Entry => JSON.parse(line))).toEqual(entries);
});

test('a client that leaves a healthy reply has cancelled it, one that leaves a failing one has not', async () => {
  await using mock = await startMock({ ttftMs: 0, gapMs: 60_000, outputTokens: 2 });
  for (const model of ['mock-model', 'mock-fail-stall-mid-stream']) {
    using connection = rawConnection(mock);
    connection.send(question({ model }));
    await connection.until(received => received.includes('"content":" '));
  }
  while (mock.log().running > 0) await mockLogOf(mock, '?entries=0');
  expect(mock.log().outcomes).toEqual({ cancelled: 1, timeout: 1 });
  expect(mock.log().clientsGone).toBe(2);
});

test('a request that waits for its turn when its client leaves is forgotten', async () => {
  await using mock = await startMock({ ttftMs: 60_000, concurrencyMax: 1 });
  {
    using first = rawConnection(mock);
    first.send(question());
    while (mock.log().running === 0) await mockLogOf(mock, '?entries=0');
    {
      using second = rawConnection(mock);
      second.send(question());
      while (mock.log().waiting === 0) await mockLogOf(mock, '?entries=0');
    }
    while (mock.log().waiting > 0) await mockLogOf(mock, '?entries=0');
    expect(mock.log().running).toBe(1);
  }
  while (mock.log().running > 0) await mockLogOf(mock, '?entries=0');
  expect(mock.log().outcomes).toEqual({ cancelled: 2 });
});

test('the log reports how late the server itself was', async () => {
  await using mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 20 });
  await request(mock);
  const { latenessNs } = mock.log();
  expect(latenessNs.count).toBe(20);
  expect(latenessNs.p50 ?? Number.NaN).toBeLessThanOrEqual(latenessNs.p99 ?? 0);
  expect(latenessNs.max).toBeGreaterThan(0);
});

test.each([
  {},
  { eventsPerWrite: 4 },
  { writesPerEvent: 7 },
  { framing: 'crlf' },
  { transfer: 'content-length' },
] as const)(
  'each chunk reports when its request was read and when it was written, in any shape: %o',
  async shape => {
    await using mock = await startMock({ ttftMs: 3, gapMs: 1, outputTokens: 12, ...shape });
    const before = process.hrtime.bigint();
    const { body } = await request(mock, { headers: ['x-plimsoll-stamp: 1'] });
    const after = process.hrtime.bigint();
    const stamps = chunksOf(body.replaceAll('\r', '')).flatMap(({ plimsoll }) => plimsoll ?? []);
    expect(stamps).toHaveLength(12);
    let last = before;
    for (const { readNs, writeNs } of stamps) {
      expect(readNs).toMatch(/^\d{20}$/);
      expect(BigInt(readNs)).toBeGreaterThan(before - 1_000n);
      expect(BigInt(writeNs)).toBeGreaterThan(BigInt(readNs));
      expect(BigInt(writeNs)).toBeGreaterThanOrEqual(last - 1_000n);
      last = BigInt(writeNs);
    }
    expect(last).toBeLessThan(after + 1_000n);
    const [entry] = (await mockLogOf(mock)).entries;
    expect(Math.abs(Number(stamps[0]?.readNs) - (entry?.readNs ?? 0))).toBeLessThan(1_000);
  },
);

test('stamps can be asked for in the body, and always be there', async () => {
  await using plain = await startMock({ ttftMs: 0, gapMs: 0, outputTokens: 2 });
  await using stamped = await startMock({ ttftMs: 0, gapMs: 0, outputTokens: 2, stampsWrites: true });
  const hasStamp = (body: string): boolean => body.includes('"plimsoll":{"readNs":"0');
  expect(hasStamp((await request(plain)).body)).toBe(false);
  expect(hasStamp((await request(plain, { extra: { plimsoll: { stamp: true } } })).body)).toBe(true);
  expect(hasStamp((await request(stamped)).body)).toBe(true);
  expect(JSON.parse((await request(stamped, { stream: false })).body).plimsoll.writeNs).not.toBe(
    '0'.repeat(20),
  );
});

test('a log that cannot be written is reported at the start', async () => {
  await expect(startMock({ logFile: '/nowhere/at/all' })).rejects.toMatchObject({ code: 'log-unusable' });
});

test('an address that is taken is reported at the start', async () => {
  await using mock = await startMock();
  await expect(startMock({ port: mock.port })).rejects.toMatchObject({ code: 'address-in-use' });
});

test('the same request gets the same bytes from any mock of the same seed, and others from another', async () => {
  const options = { ttftMs: 0, gapMs: 0, outputTokens: { min: 10, max: 60 } };
  await using one = await startMock({ ...options, seed: 7 });
  await using two = await startMock({ ...options, seed: 7 });
  await using other = await startMock({ ...options, seed: 8 });
  const bodies = new Set<string>();
  for (const prompt of ['a', 'b', 'c', 'd']) {
    await request(two, { prompt: `something else before ${prompt}` });
    const { bytes, body } = await request(one, { prompt });
    expect((await request(two, { prompt })).bytes).toEqual(bytes);
    const whole = wholeReply((await request(one, { prompt, stream: false })).bytes)?.body ?? '';
    expect(JSON.parse(whole).choices[0].message.content).toBe(contentOf(body));
    expect((await request(other, { prompt })).body).not.toBe(body);
    bodies.add(body);
  }
  expect(bodies.size).toBe(4);
});
