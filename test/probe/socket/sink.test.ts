import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { ControlChannel } from '../../../src/probe/socket/control-channel.ts';
import {
  type ToSink,
  type ToSource,
  toSinkSchema,
  toSourceSchema,
} from '../../../src/probe/socket/control-message.ts';
import { dialSink } from '../../../src/probe/socket/dial.ts';
import { type MeasureOptions, measureLink } from '../../../src/probe/socket/measure-link.ts';
import { Sink, type SinkEnding, type SinkOptions } from '../../../src/probe/socket/sink.ts';
import { SourceSession } from '../../../src/probe/socket/source-session.ts';
import type { StreamEngine } from '../../../src/probe/socket/stream.ts';
import { EventLoopStreams, openStreamEngine } from '../../../src/probe/socket/stream-engine.ts';
import { TicketListener } from '../../../src/probe/socket/ticket-listener.ts';
import type { ConnectionHead } from '../../../src/probe/socket/ticket-proof.ts';
import { longCount } from '../../support/counts.ts';
import { until } from '../../support/until.ts';
import { openThings } from './open-things.ts';

const TICKET = '7QKF-M2XW-9TBD';
const CONTROL: ConnectionHead = { role: 'control', index: 0, run: 0 };

interface OpenSink extends AsyncDisposable {
  readonly port: number;
  readonly ended: Promise<SinkEnding>;
  readonly engine: StreamEngine;
}

const openSink = async (changes: Partial<SinkOptions> = {}): Promise<OpenSink> => {
  const engine = changes.engine ?? (await openStreamEngine(process.env, process.platform));
  const stop = new AbortController();
  const sink = new Sink({
    host: '127.0.0.1',
    port: 0,
    ticket: TICKET,
    sourceAddresses: [],
    waitMsMax: 25_000,
    durationMsMax: 25_000,
    engine,
    clock: systemClock,
    streamsMax: 2,
    sockets: undefined,
    signal: stop.signal,
    ...changes,
  });
  const port = await sink.listen();
  const ended = sink.serve();
  const dispose = async (): Promise<void> => {
    stop.abort();
    await ended;
    if (changes.engine === undefined) await engine[Symbol.asyncDispose]();
  };
  return { port, ended, engine, [Symbol.asyncDispose]: dispose };
};

const dial = (port: number, ticket = TICKET, head = CONTROL): Promise<Socket> =>
  dialSink(
    { address: '127.0.0.1', port, ticket, sourceInterface: undefined, sockets: undefined },
    head,
    AbortSignal.timeout(20_000),
  );

const control = async (port: number): Promise<ControlChannel<ToSink, ToSource>> => {
  const channel = new ControlChannel<ToSink, ToSource>(await dial(port), toSourceSchema);
  expect(await channel.next(AbortSignal.timeout(20_000))).toMatchObject({ kind: 'hello' });
  return channel;
};

const prepare = (changes: Partial<Extract<ToSink, { kind: 'prepare' }>> = {}): ToSink => ({
  kind: 'prepare',
  run: 1,
  job: 'download',
  streams: 1,
  bytesMaxPerStream: 1e12,
  durationMsMax: 10_000,
  ...changes,
});

const next = (channel: ControlChannel<ToSink, ToSource>): Promise<ToSource> =>
  channel.next(AbortSignal.timeout(20_000));

const sourceParts = (port: number): Omit<MeasureOptions, 'engine' | 'roundTrips'> => ({
  sink: { address: '127.0.0.1', port, ticket: TICKET, sourceInterface: undefined, sockets: undefined },
  clock: systemClock,
  signal: AbortSignal.timeout(25_000),
  budget: { bytesMax: 200_000_000, durationMsMax: 5_000, measuresExtras: true },
  streamsMax: 1,
});

describe('a sink', () => {
  test('measures with one source, then is gone', async () => {
    await using sink = await openSink();
    await using engine = await openStreamEngine(process.env, process.platform);
    const measurement = await measureLink(
      { ...sourceParts(sink.port), engine, roundTrips: 50 },
      () => undefined,
    );
    expect(measurement).toMatchObject({
      uploadBitsPerSecond: expect.any(Number),
      downloadBitsPerSecond: expect.any(Number),
      roundTripCount: 50,
      allReduceNs16Kib: expect.any(Number),
      allReduceNs1Mib: expect.any(Number),
      uploadStreams: 1,
      uploadDatagrams: expect.any(Number),
      downloadLossShare: expect.any(Number),
      uploadReorderedShare: 0,
      // This test gives the ends no options of the system.
      uploadMtuBytes: { kind: 'unknown', reason: expect.stringContaining('options cannot be set here') },
    });
    // What loopback carries within the bound on bytes may be over before enough round trips ran during it.
    for (const queueNs of [measurement.uploadQueueNs, measurement.downloadQueueNs])
      expect(isUnknown(queueNs) ? queueNs.reason : queueNs).toSatisfy(
        reported => typeof reported === 'number' || reported.endsWith('round trips under load, fewer than 6'),
      );
    expect(measurement.bytesUsed).toBeLessThanOrEqual(200_000_000);
    const ending = await sink.ended;
    expect(ending).toMatchObject({ kind: 'served', from: '127.0.0.1', strangers: 0 });
    await expect(dial(sink.port)).rejects.toThrow('ECONNREFUSED');
  });

  test('of a version without datagrams leaves their figures unknown, and nothing is sent to it', async () => {
    const listener = new TicketListener({
      ticket: TICKET,
      clock: systemClock,
      sourceAddresses: [],
      onData: () => Promise.reject(new Error('none is expected')),
    });
    const port = await listener.listen('127.0.0.1', 0);
    await using engine = new EventLoopStreams('asked for');
    const opened = SourceSession.open({ ...sourceParts(port), engine });
    const socket = await listener.source({ waitMsMax: 20_000, signal: new AbortController().signal });
    if (socket === undefined) throw new Error('no source connected');
    const old = new ControlChannel<ToSource, ToSink>(socket, toSinkSchema);
    old.send({ kind: 'hello', engine: 'socket-ffi', reason: '', streamsMax: 2 });
    const session = await opened;
    const figures = await session.datagrams({
      roundTripMs: 1,
      uploadBitsPerSecond: 1e9,
      downloadBitsPerSecond: 1e9,
      bytesMax: 1e9,
      endMs: systemClock.nowMs() + 10_000,
    });
    const reason = 'not measured by the version of the other end';
    expect(new Set(Object.values(figures).map(figure => isUnknown(figure) && figure.reason))).toEqual(
      new Set([reason]),
    );
    session.close();
    expect(await old.next(AbortSignal.timeout(20_000))).toEqual({ kind: 'bye' });
    listener.close();
    old.close();
  });

  test('sends no train to where no datagram with the secret has come from', async () => {
    await using sink = await openSink();
    const channel = await control(sink.port);
    channel.send({ kind: 'datagrams', secret: '0123456789abcdef' });
    expect(await channel.next(AbortSignal.timeout(20_000))).toMatchObject({
      kind: 'datagrams-ready',
      reason: '',
    });
    channel.send({ kind: 'send-train', train: 1, sizes: [1_200], count: 100, intervalUs: 500 });
    expect(await channel.next(AbortSignal.timeout(20_000))).toMatchObject({ kind: 'train-sent', sent: 0 });
    channel.send({ kind: 'bye' });
    await sink.ended;
  });

  test('times all-reduces on the event loop too', async () => {
    await using engine = new EventLoopStreams('asked for');
    await using sink = await openSink({ engine });
    const measurement = await measureLink(
      { ...sourceParts(sink.port), engine, roundTrips: 20 },
      () => undefined,
    );
    expect(measurement).toMatchObject({
      engine: 'socket-event-loop',
      allReduceNs16Kib: expect.any(Number),
      allReduceNs1Mib: expect.any(Number),
      uploadQueueNs: { kind: 'unknown', reason: expect.stringContaining('share an event loop') },
    });
  });

  test('gives a stranger without the ticket nothing but a nonce', async () => {
    await using sink = await openSink();
    for (const ticket of ['', 'AAAA-AAAA-AAAA', `${TICKET} `]) {
      await expect(dial(sink.port, ticket)).rejects.toThrow('does not accept the code');
    }
    const stranger = connect(sink.port, '127.0.0.1');
    let bytes = 0;
    stranger.on('data', chunk => {
      bytes += chunk.length;
    });
    stranger.write(Buffer.alloc(72, 7));
    await once(stranger, 'close');
    expect(bytes).toBe(48);
    const channel = await control(sink.port); // the one with the ticket is served all the same
    channel.send({ kind: 'bye' });
    expect(await sink.ended).toMatchObject({ kind: 'served', strangers: 4 });
  });

  test('takes the source with the ticket while strangers hold every place and come back at once', async () => {
    await using sink = await openSink();
    let isOver = false;
    let sentAway = 0;
    const opened = new Set<Socket>();
    const idle = (): void => {
      const stranger = connect(sink.port, '127.0.0.1')
        .on('error', () => undefined)
        .resume();
      opened.add(stranger);
      stranger.on('close', () => {
        opened.delete(stranger);
        sentAway += 1;
        if (!isOver) setTimeout(idle, 20);
      });
    };
    for (let count = 0; count < 40; count += 1) idle();
    await until(() => sentAway > 60, AbortSignal.timeout(20_000));
    const channel = await control(sink.port);
    channel.send({ kind: 'bye' });
    expect(await sink.ended).toMatchObject({ kind: 'served' });
    isOver = true;
    for (const stranger of opened) stranger.destroy();
  });

  test('holds at most so many strangers at once, and the source still gets in', async () => {
    await using sink = await openSink();
    const strangers = Array.from({ length: 60 }, () =>
      connect(sink.port, '127.0.0.1')
        .on('error', () => undefined)
        .resume(),
    );
    const closed = strangers.map(stranger => once(stranger, 'close'));
    await Promise.race(closed); // beyond the bound they are closed at once
    for (const stranger of strangers) stranger.destroy();
    await Promise.all(closed);
    const channel = await control(sink.port);
    channel.send({ kind: 'bye' });
    expect(await sink.ended).toMatchObject({ kind: 'served' });
  });

  test('takes no ticket twice', async () => {
    await using sink = await openSink();
    const channel = await control(sink.port);
    await expect(dial(sink.port)).rejects.toThrow('busy with another probe');
    channel.send({ kind: 'bye' });
    expect(await sink.ended).toMatchObject({ kind: 'served' });
  });

  test('keeps places for the addresses of its source, however many others are at the door', async () => {
    await using sink = await openSink({ host: '::', sourceAddresses: ['127.0.0.1', 'fe80::1'] });
    const strangers = Array.from({ length: 60 }, () =>
      connect({ port: sink.port, host: '127.0.0.1', localAddress: '127.0.0.2' })
        .on('error', () => undefined)
        .resume(),
    );
    // One that the kernel held back may find nobody any more: that, too, is an end.
    const closed = strangers.map(stranger => new Promise(resolve => stranger.once('close', resolve)));
    await Promise.race(closed); // past their slots; the others are still waiting
    const channel = await control(sink.port);
    channel.send({ kind: 'bye' });
    expect(await sink.ended).toMatchObject({ kind: 'served', from: '::ffff:127.0.0.1' });
    await Promise.all(closed);
  });

  test('takes the ticket from an address that was translated on the way', async () => {
    await using sink = await openSink({ sourceAddresses: ['192.0.2.7'] });
    const channel = await control(sink.port);
    channel.send({ kind: 'bye' });
    expect(await sink.ended).toMatchObject({ kind: 'served', strangers: 0 });
  });

  test('sends not a byte to data connections that nobody prepared', async () => {
    await using sink = await openSink();
    const channel = await control(sink.port);
    const data = (run: number, index: number): Promise<Socket> =>
      dial(sink.port, TICKET, { role: 'data', run, index });
    await expect(data(1, 0)).rejects.toThrow('closed the connection');
    channel.send(prepare());
    expect(await next(channel)).toEqual({ kind: 'prepared', run: 1 });
    await expect(data(2, 0)).rejects.toThrow();
    await expect(data(1, 1)).rejects.toThrow();
    const stream = await data(1, 0);
    await expect(data(1, 0)).rejects.toThrow(); // each slot once
    stream.destroy();
    channel.send({ kind: 'bye' });
    expect(await sink.ended).toMatchObject({ kind: 'served', bytesSent: 0 });
  });

  test('sends no more than was prepared', async () => {
    await using sink = await openSink();
    const channel = await control(sink.port);
    channel.send(prepare({ bytesMaxPerStream: 3_000_000 }));
    await next(channel);
    const stream = await dial(sink.port, TICKET, { role: 'data', run: 1, index: 0 });
    channel.send({ kind: 'start', run: 1 });
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes >= 3_000_000) break;
    }
    channel.send({ kind: 'stop', run: 1 });
    expect(await next(channel)).toEqual({ kind: 'started', run: 1 });
    expect(await next(channel)).toMatchObject({ kind: 'stopped', bytes: 3_000_000, reason: '' });
    channel.send({ kind: 'bye' });
    expect(await sink.ended).toMatchObject({ kind: 'served', bytesSent: 3_000_000 });
  });

  test('ends a measurement whose time is over, and one whose source is gone', async () => {
    await using sink = await openSink();
    const channel = await control(sink.port);
    channel.send(prepare({ durationMsMax: 100 }));
    await next(channel);
    const stream = await dial(sink.port, TICKET, { role: 'data', run: 1, index: 0 });
    stream.pause();
    channel.send({ kind: 'start', run: 1 });
    expect(await next(channel)).toEqual({ kind: 'started', run: 1 });
    expect(await next(channel)).toMatchObject({ kind: 'stopped', reason: 'its time is up' });
    channel.close();
    stream.destroy();
    expect(await sink.ended).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('disappeared'),
    });
  });

  test('ends when its time is up, for any behaviour of its source', async () => {
    await using sink = await openSink({ durationMsMax: 200 });
    const channel = await control(sink.port);
    expect(await sink.ended).toMatchObject({ kind: 'failed' });
    await channel.closed;
    await using unused = await openSink({ waitMsMax: 10 });
    expect(await unused.ended).toEqual({
      kind: 'unused',
      reason: 'no connection arrived in time',
      strangers: 0,
    });
  });

  test.each([
    ['an order out of turn', { kind: 'start', run: 9 }],
    ['a run without its connections', { kind: 'start', run: 1 }],
  ] as const)('ends at %s', async (_, order) => {
    await using sink = await openSink();
    const channel = await control(sink.port);
    channel.send(prepare());
    await next(channel);
    channel.send(order);
    expect(await sink.ended).toMatchObject({ kind: 'failed' });
    channel.close();
  });

  test('leaves nothing behind, after any source', { timeout: longCount(60_000, 900_000) }, async context => {
    if (openThings() === undefined) context.skip('there is no /proc to count with');
    await using engine = await openStreamEngine(process.env, process.platform);
    await faultySource(0, engine); // starts the threads that are used again
    const before = openThings();
    for (let number = 0; number < longCount(25, 1_000); number += 1) await faultySource(number, engine);
    expect(openThings()).toEqual(before);
  });
});

/** A source that goes wrong in one way or another. */
const faultySource = async (number: number, engine: StreamEngine): Promise<void> => {
  await using sink = await openSink({ engine });
  const way = number % 5;
  if (way === 0) {
    const stranger = connect(sink.port, '127.0.0.1');
    stranger.end('GET / HTTP/1.1\r\n\r\n');
    await once(stranger.resume(), 'close');
    return;
  }
  const socket = await dial(sink.port);
  if (way === 1) socket.write('{"kind":"prepare","run":-1}\n');
  if (way === 2) socket.write(Buffer.alloc(50_000, 0xff));
  if (way < 3) {
    await sink.ended;
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
  } else {
    const channel = new ControlChannel<ToSink, ToSource>(socket, toSourceSchema);
    await next(channel);
    channel.send(prepare({ job: way === 3 ? 'download' : 'upload' }));
    await next(channel);
    const stream = await dial(sink.port, TICKET, { role: 'data', run: 1, index: 0 });
    channel.send({ kind: 'start', run: 1 });
    await next(channel);
    // Gone in the middle: by a reset, or with the connection held.
    if (way === 3) stream.resetAndDestroy();
    socket.destroy();
    await sink.ended;
    stream.destroy();
  }
};
