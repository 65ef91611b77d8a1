// What a source may request of the end of an RDMA probe that is dialled, and what that end counts of it.

import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import {
  RUNS_MAX,
  type ToRdmaSink,
  type ToRdmaSource,
  toRdmaSourceSchema,
} from '../../../src/probe/rdma/rdma-message.ts';
import { RdmaSink, type RdmaSinkEnding } from '../../../src/probe/rdma/rdma-sink.ts';
import type { RdmaTest, RdmaTool } from '../../../src/probe/rdma/rdma-tool.ts';
import { ControlChannel } from '../../../src/probe/socket/control-channel.ts';
import { dialSink } from '../../../src/probe/socket/dial.ts';

const TICKET = 'a ticket that nobody guesses';

/** Prints nothing and ends. */
const TOOL: RdmaTool = {
  name: 'perftest',
  programs: ['true'],
  warmUpMessages: 5,
  command: () => ({ command: 'true', args: [], env: {}, files: [] }),
  lastLine: /never/,
  isComplete: () => false,
  read: () => ({ kind: 'unreadable', reason: 'no figures' }),
};

const sinkFor = (signal: AbortSignal): RdmaSink =>
  new RdmaSink({
    host: '127.0.0.1',
    port: 0,
    ticket: TICKET,
    sourceAddresses: ['127.0.0.1'],
    tools: [TOOL],
    endpoint: { device: 'mlx5_0', port: 1, gidIndex: undefined, transport: 'rdma' },
    sourceDevice: 'mlx5_1',
    env: { PATH: '/usr/bin:/bin' },
    toolPrefix: [],
    clock: systemClock,
    waitMsMax: 10_000,
    durationMsMax: 20_000,
    toolMsMax: 10_000,
    signal,
  });

/** Requests the runs one after another, under the same number; connects for those that are to carry something. */
const request = async (
  runs: readonly { readonly test: RdmaTest; readonly connects: boolean }[],
  signal: AbortSignal,
): Promise<RdmaSinkEnding> => {
  const sink = sinkFor(signal);
  const at = {
    address: '127.0.0.1',
    port: await sink.listen(),
    ticket: TICKET,
    sourceInterface: undefined,
    sockets: undefined,
  };
  const ending = sink.serve();
  const socket = await dialSink(at, { role: 'control', index: 0, run: 0 }, signal);
  const channel = new ControlChannel<ToRdmaSink, ToRdmaSource>(socket, toRdmaSourceSchema);
  try {
    expect(await channel.next(signal)).toEqual({ kind: 'hello', engines: ['perftest'] });
    for (const { test, connects } of runs) {
      channel.send({ kind: 'run', run: 1, engine: 'perftest', test, role: 'waits' });
      expect((await channel.next(signal)).kind).toBe('started');
      if (connects) (await dialSink(at, { role: 'data', index: 0, run: 1 }, signal)).destroy();
      expect((await channel.next(signal)).kind).toBe('ended');
    }
    channel.send({ kind: 'bye' });
  } catch {
    // The sink has ended it; its ending has the reason.
  } finally {
    channel.close();
  }
  return await ending;
};

it('ends a source that requests more runs than a probe has, with any numbers', async ({ signal }) => {
  const test: RdmaTest = { kind: 'latency', roundTrips: 1 };
  const runs = Array.from({ length: RUNS_MAX }, () => ({ test, connects: false }));
  expect(await request(runs, signal)).toMatchObject({ kind: 'served', runs: RUNS_MAX });
  const more = [...runs, { test, connects: false }];
  expect(await request(more, signal)).toMatchObject({
    kind: 'failed',
    reason: `it requests more than ${RUNS_MAX} runs`,
  });
});

it('counts the messages of the runs to which the source has connected, and none of another', async ({
  signal,
}) => {
  const test: RdmaTest = { kind: 'bandwidth', messageBytes: 1_000, messages: 95 };
  const latency: RdmaTest = { kind: 'latency', roundTrips: 1 };
  const ending = await request(
    [
      { test, connects: true },
      { test, connects: false },
      { test: latency, connects: true },
      { test, connects: true },
    ],
    signal,
  );
  expect(ending).toMatchObject({ kind: 'served', bytesMax: 2 * 100 * 1_000 });
});
