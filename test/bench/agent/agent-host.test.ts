// Who gets in with which code, and when: an agent that listens, its coordinators dialled over loopback.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentHost, trimKeptRuns } from '../../../src/bench/agent/agent-host.ts';
import { systemNames } from '../../../src/bench/agent/reach-target.ts';
import type { AgentSessionEnd } from '../../../src/bench/agent/session-parts.ts';
import { makeAgentCode } from '../../../src/bench/agent/tls/agent-code.ts';
import { dialAgent } from '../../../src/bench/agent/tls/dial-agent.ts';
import type { AgentChannel } from '../../../src/bench/fleet/agent-channel.ts';
import { BENCH_SETTINGS } from '../../../src/bench/run/bench-parts.ts';
import type { AgentMessage } from '../../../src/wire/agent-message.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { POLICY } from './scripted-coordinator.ts';

const REST_MS = 60_000;

const openHost = async (
  folder: string,
  secrets = Number.POSITIVE_INFINITY,
  unusedMs = Number.POSITIVE_INFINITY,
) => {
  const clock = new VirtualClock();
  const codes: string[] = [];
  const ends: AgentSessionEnd[] = [];
  let ended = Promise.withResolvers<void>();
  let left = secrets;
  const host = new AgentHost({
    host: '127.0.0.1',
    port: 0,
    nextSecret: () => (left-- > 0 ? makeAgentCode() : undefined),
    restMs: REST_MS,
    unusedMs,
    observer: {
      secret: code => codes.push(code),
      began: () => undefined,
      ended: end => {
        ends.push(end);
        ended.resolve();
        ended = Promise.withResolvers();
      },
      strangers: () => undefined,
    },
    session: {
      policy: () => POLICY,
      name: 'juno',
      bench: {
        clock,
        env: {},
        nodePath: process.execPath,
        temporaryFolder: folder,
        version: '1.2.3',
        environment: { node: '24', os: 'test', cpu: 'test', cores: 2 },
        settings: BENCH_SETTINGS,
      },
      env: {},
      folder,
      resolve: systemNames,
      signal: new AbortController().signal,
    },
  });
  const port = await host.listen();
  return {
    host,
    clock,
    codes,
    dial: (code: string): Promise<AgentChannel> =>
      dialAgent({
        name: 'juno',
        addresses: [{ host: '127.0.0.1', port }],
        secret: code,
        signal: AbortSignal.timeout(30_000),
      }),
    endsReach: async (count: number): Promise<readonly AgentSessionEnd[]> => {
      while (ends.length < count) await ended.promise;
      return ends;
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
};

const first = async (channel: AgentChannel): Promise<AgentMessage | undefined> => {
  for await (const message of channel.messages) return message;
  return undefined;
};

describe('an agent that listens', () => {
  test('works for one coordinator, and replies to another one with the same code that it is busy', async () => {
    using folder = temporaryDirectory();
    await using open = await openHost(folder.path);
    const [code = ''] = open.codes;
    await using one = await open.dial(code);
    expect(await first(one)).toMatchObject({ kind: 'hello', name: 'juno' });
    await using other = await open.dial(code);
    expect(await first(other)).toMatchObject({ kind: 'refused', problem: { code: 'busy' } });
    expect(await other.closed).toMatchObject({ reason: 'done', by: 'other end' });
    await one.send({ kind: 'done' });
    expect(await open.endsReach(1)).toMatchObject([{ kind: 'nothing' }]);
  });

  test('takes a code for a minute after its last run, and then another one', async () => {
    using folder = temporaryDirectory();
    await using open = await openHost(folder.path);
    const [code = ''] = open.codes;
    for (let run = 1; run <= 3; run += 1) {
      await using channel = await open.dial(code);
      expect(await first(channel)).toMatchObject({ kind: 'hello' });
      await channel.send({ kind: 'done' });
      await open.endsReach(run);
      await open.clock.advance(REST_MS - 1_000);
    }
    expect(open.codes).toHaveLength(1);
    await open.clock.advance(1_000);
    expect(open.codes).toHaveLength(2);
    await expect(open.dial(code)).rejects.toMatchObject({
      problem: { problem: expect.stringContaining('does not accept this code') },
    });
    await using channel = await open.dial(open.codes[1] ?? '');
    expect(await first(channel)).toMatchObject({ kind: 'hello' });
  });

  test('with one secret is over when that is spent, or was never used in time', async () => {
    using folder = temporaryDirectory();
    await using used = await openHost(folder.path, 1, 30_000);
    await using channel = await used.dial(used.codes[0] ?? '');
    expect(await first(channel)).toMatchObject({ kind: 'hello' });
    await channel.send({ kind: 'done' });
    await used.endsReach(1);
    await used.clock.advance(REST_MS);
    await used.host.over;
    await using unused = await openHost(folder.path, 1, 30_000);
    await unused.clock.advance(30_000);
    await unused.host.over;
    await expect(unused.dial(unused.codes[0] ?? '')).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('that is stopped lets its coordinator go, and nobody in', async () => {
    using folder = temporaryDirectory();
    const open = await openHost(folder.path);
    await using channel = await open.dial(open.codes[0] ?? '');
    expect(await first(channel)).toMatchObject({ kind: 'hello' });
    await open.host[Symbol.asyncDispose]();
    expect(await channel.closed).toMatchObject({ by: 'other end' });
    await expect(open.dial(open.codes[0] ?? '')).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('keeps the newest four of the runs that nobody fetched, and what is not its own', async () => {
    using folder = temporaryDirectory();
    for (let run = 0; run < 7; run += 1) mkdirSync(join(folder.path, `000000000000000${run}`));
    mkdirSync(join(folder.path, 'notes'));
    await trimKeptRuns(folder.path);
    expect(readdirSync(folder.path)).toHaveLength(5);
    expect(readdirSync(folder.path)).toContain('notes');
  });
});
