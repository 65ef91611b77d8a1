import { expect, test } from 'vitest';
import {
  buildTruthServer,
  startTruthServer,
  type TruthOptions,
  type TruthServer,
} from '../../benchmarks/truth-server/truth-server.ts';
import { post, rawConnection, wholeReply } from '../support/raw-http.ts';
import { chunksOf, dataOf, question } from './requesting.ts';

const start = async (
  options: TruthOptions,
  skip: (reason: string) => void,
): Promise<TruthServer & AsyncDisposable> => {
  const built = buildTruthServer();
  if (built.kind === 'skipped') skip(built.reason);
  const server = await startTruthServer(built.kind === 'built' ? built.path : '', options);
  return {
    ...server,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
    },
  };
};

const addressOf = ({ port }: TruthServer) => ({ host: '127.0.0.1', port });

const stream = async (server: TruthServer) => {
  using connection = rawConnection(addressOf(server));
  connection.send(question());
  const bytes = await connection.until(received => wholeReply(received) !== undefined);
  return wholeReply(bytes);
};

test('the truth server stamps each event, pads it, and keeps its times', async context => {
  await using server = await start(
    { ttftUs: 5_000, gapUs: 1_000, events: 10, eventBytes: 400 },
    context.skip,
  );
  const before = process.hrtime.bigint();
  const reply = await stream(server);
  const after = process.hrtime.bigint();
  expect(dataOf(reply?.body ?? '').at(-1)).toBe('[DONE]');
  expect(reply?.chunkSizes.slice(0, 10)).toEqual(Array(10).fill(400));
  const stamps = chunksOf(reply?.body ?? '').flatMap(({ plimsoll }) => plimsoll ?? []);
  expect(stamps).toHaveLength(10);
  for (const [index, { readNs, writeNs }] of stamps.entries()) {
    expect(readNs).toBe(stamps[0]?.readNs);
    expect(BigInt(readNs)).toBeGreaterThan(before);
    expect(BigInt(writeNs) - BigInt(readNs)).toBeGreaterThanOrEqual(BigInt(5_000_000 + index * 1_000_000));
    expect(BigInt(writeNs)).toBeLessThan(after);
  }
  expect(await server.stop()).toMatchObject({ requests: 1, streams: 1, events: 10, clientsGone: 0 });
});

test('it serves many streams at once and counts them all', async context => {
  await using server = await start({ ttftUs: 2_000, gapUs: 500, events: 20 }, context.skip);
  const replies = await Promise.all(Array.from({ length: 200 }, () => stream(server)));
  expect(replies.map(reply => chunksOf(reply?.body ?? '').filter(({ plimsoll }) => plimsoll).length)).toEqual(
    Array(200).fill(20),
  );
  const account = await server.stop();
  expect(account).toMatchObject({ requests: 200, streams: 200, events: 4_000 });
  expect(account.latenessUs.p50).toBeLessThanOrEqual(account.latenessUs.p99);
});

test('it serves small replies on one connection, and its models', async context => {
  await using server = await start({ events: 0 }, context.skip);
  using connection = rawConnection(addressOf(server));
  let bytes: Buffer = Buffer.alloc(0);
  for (let count = 0; count < 100; count += 1) {
    connection.send(question({ stream: false }));
    const from = bytes.length;
    bytes = await connection.until(received => wholeReply(received.subarray(from)) !== undefined);
  }
  expect(await (await fetch(`${server.url}/v1/models`)).json()).toMatchObject({ data: [{ id: 'truth' }] });
  expect(await server.stop()).toMatchObject({ requests: 101, events: 0 });
});

test('it outlasts clients that leave, send nonsense, send too much, or do not read', async context => {
  await using server = await start(
    { ttftUs: 100, gapUs: 0, events: 50_000, eventBytes: 8_000 },
    context.skip,
  );
  {
    using leaver = rawConnection(addressOf(server));
    leaver.send(question());
    await leaver.until(received => received.length > 0);
  }
  using flood = rawConnection(addressOf(server));
  flood.send('x'.repeat(200_000));
  await flood.ended();
  using huge = rawConnection(addressOf(server));
  huge.send('POST / HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n');
  await huge.ended();
  using idle = rawConnection(addressOf(server));
  idle.socket.pause();
  idle.send(question());
  using eager = rawConnection(addressOf(server));
  eager.send(question() + question());
  await eager.ended();
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
  expect((await server.stop()).clientsGone).toBeGreaterThanOrEqual(1);
});

test('a wrong option is refused', async context => {
  const built = buildTruthServer();
  if (built.kind === 'skipped') context.skip(built.reason);
  if (built.kind === 'built')
    await expect(startTruthServer(built.path, { events: -1 })).rejects.toThrow('ended with 2');
});

test('a model list can be asked for by post as well', async context => {
  await using server = await start({}, context.skip);
  using connection = rawConnection(addressOf(server));
  connection.send(post('/v1/models', {}));
  const bytes = await connection.until(received => wholeReply(received) !== undefined);
  expect(wholeReply(bytes)?.body).toContain('"id":"truth"');
});
