import { beforeEach, describe, expect, test } from 'vitest';
import { measureSocketLink, openSocketSink } from '../../../src/probe/socket/socket-link.ts';
import { childPids, openThings, socketsOf, untilTrue } from './open-things.ts';

const TICKET = '7QKF-M2XW-9TBD';
const ended = new AbortController().signal;
const common = { ticket: TICKET, env: process.env, nodePath: process.execPath };
const BUDGET = { bytesMax: 1e12, durationMsMax: 15_000, measuresExtras: true };

const sinkHere = (signal = ended) => openSocketSink({ host: '127.0.0.1', port: 0, signal, ...common });

const measure = (port: number, signal = ended) =>
  measureSocketLink({ address: '127.0.0.1', port, budget: BUDGET, signal, ...common });

/** The measuring child: the one that was not there before. */
const sourcePid = async (before: readonly number[]): Promise<number> => {
  let pid = 0;
  await untilTrue(() => {
    pid = childPids().find(child => !before.includes(child)) ?? 0;
    return pid !== 0;
  });
  return pid;
};

describe('of a probe', () => {
  beforeEach(context => {
    if (openThings() === undefined) context.skip('there is no /proc to find processes in');
  });

  test('the sink is killed: the source reports it, with what it cost', async () => {
    await using sink = await sinkHere();
    const idle = socketsOf(sink.pid);
    const measuring = measure(sink.port);
    await isServing(sink.pid, idle);
    process.kill(sink.pid, 'SIGKILL');
    const outcome = await measuring;
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/disappeared|closed the connection|aborted|nothing can be reached/),
      code: expect.stringMatching(/^(closed|protocol|unreachable)$/),
    });
    expect(await sink.ended).toMatchObject({ kind: 'failed', reason: expect.stringContaining('SIGKILL') });
  });

  test('the source is killed: the sink ends, and reports why', async () => {
    await using sink = await sinkHere();
    const idle = socketsOf(sink.pid);
    const before = childPids();
    const measuring = measure(sink.port);
    const source = await sourcePid(before);
    await isServing(sink.pid, idle);
    process.kill(source, 'SIGKILL');
    expect(await measuring).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('SIGKILL'),
    });
    expect(await sink.ended).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('disappeared'),
    });
  });

  test('the owner gives up: both ends are gone at once', async () => {
    const before = openThings();
    const stop = new AbortController();
    const sink = await sinkHere(stop.signal);
    const idle = socketsOf(sink.pid);
    const measuring = measure(sink.port, stop.signal);
    measuring.catch(() => undefined);
    await isServing(sink.pid, idle);
    stop.abort(new Error('enough'));
    await expect(measuring).rejects.toThrow('enough');
    await sink.ended;
    expect(openThings()?.children).toEqual(before?.children);
  });
});

/** It listens, then control, then data: from the second connection on it is measured with. */
const isServing = (pid: number, idle: number): Promise<void> => untilTrue(() => socketsOf(pid) >= idle + 2);
