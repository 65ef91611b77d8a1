// Both ends of an RDMA probe with tools that hang, crash, print garbage or are not there. For any behaviour,
// the probe ends with a reason, and no process of theirs is left.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it as base, describe, expect } from 'vitest';
import { measureRdmaLink, openRdmaSink } from '../../../src/probe/rdma/rdma-link.ts';
import type { RdmaEngineName } from '../../../src/probe/rdma/rdma-tool.ts';
import { type StandInTools, standInTools } from '../../gather/stand-in-tools.ts';
import { fixture } from '../../support/fixture.ts';
import { isRunning, processIdsIn } from '../../support/process-ids.ts';
import { until } from '../../support/until.ts';

/** Tools of its own for each test: they run concurrently. */
const bedOf = (tools: StandInTools) => {
  /** Remembers its process; the last argument of the end that dials is the loopback. */
  const tool = (name: string, { waits = 'exec sleep 600', dials }: { waits?: string; dials: string }): void =>
    tools.script(
      name,
      `echo $$ >> "$HERE/pids"\nfor last; do true; done\nif [ "$last" = 127.0.0.1 ]; then\n${dials}\nelse\n${waits}\nfi`,
    );

  /** What does not mean the deadline of a tool has none that comes before the test's own. */
  const measure = async (
    more: { readonly engines?: readonly RdmaEngineName[]; readonly signal?: AbortSignal } = {},
    toolMsMax = 60_000,
  ) => {
    const common = {
      engines: more.engines ?? (['perftest'] as const),
      sourceDevice: 'mlx5_0',
      sinkDevice: 'mlx5_1',
      ticket: 'a ticket',
      env: { ...tools.env, TMPDIR: tools.folder },
      nodePath: process.execPath,
      toolMsMax,
    };
    await using sink = await openRdmaSink({
      ...common,
      host: '127.0.0.1',
      port: 0,
      signal: new AbortController().signal,
    });
    const outcome = await measureRdmaLink({
      ...common,
      address: '127.0.0.1',
      port: sink.port,
      budget: { bytesMax: 1e9, durationMsMax: 4_000, measuresExtras: true },
      signal: more.signal ?? new AbortController().signal,
    });
    return { outcome, ending: await sink.ended };
  };

  /** Those of the tools that still live. None of them needs a folder for files. */
  const left = (): readonly number[] => {
    expect(readdirSync(tools.folder).filter(name => name.startsWith('plimsoll-rdma-'))).toEqual([]);
    const pids = processIdsIn(join(tools.folder, 'pids'));
    expect(pids.length).toBeGreaterThan(0);
    return pids.filter(isRunning);
  };

  return { tools, tool, measure, left };
};

const it = base.extend<{ bed: ReturnType<typeof bedOf> }>({
  bed: async ({ task: _task }, use) => {
    using tools = standInTools();
    await use(bedOf(tools));
  },
});

describe.concurrent('an RDMA probe', () => {
  it('puts together what the tools of both ends report', async ({ bed: { tools, tool, measure, left } }) => {
    tools.prints('latency', fixture('perftest/ib_send_lat-unsorted.txt'));
    tools.prints('bandwidth', fixture('perftest/ib_write_bw-connectx7.txt'));
    tool('ib_send_lat', { dials: '"$HERE/latency"' });
    tool('ib_write_bw', { dials: '"$HERE/bandwidth"' });
    const { outcome, ending } = await measure();
    expect(outcome).toMatchObject({
      kind: 'measured',
      measurement: {
        engine: 'perftest',
        uploadBitsPerSecond: 196_610_000_000,
        downloadBitsPerSecond: 196_610_000_000,
        roundTripNsP50: 2_000,
        jitterNs: 500,
        roundTripCount: 60,
      },
    });
    expect(ending).toMatchObject({ kind: 'served', strangers: 0 });
    expect(left()).toEqual([]);
  });

  it('ends a tool that hangs, also one that does not listen to SIGTERM', async ({
    bed: { tool, measure, left },
  }) => {
    tool('ib_send_lat', { dials: "trap '' TERM\nwhile true; do sleep 1; done" });
    tool('ib_write_bw', { dials: 'exec sleep 600' });
    const { outcome } = await measure({}, 2_000);
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('ib_send_lat gave no figures in 2 s'),
    });
    expect(left()).toEqual([]);
  });

  it('ends with the reason where a tool crashes', async ({ bed: { tool, measure, left } }) => {
    tool('ib_send_lat', { dials: 'kill -SEGV $$' });
    tool('ib_write_bw', { dials: 'exit 0' });
    const { outcome } = await measure();
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('SIGSEGV') });
    expect(left()).toEqual([]);
  });

  it('ends with the words of a tool that refuses, at whichever end', async ({
    bed: { tool, measure, left },
  }) => {
    tool('ib_write_bw', { dials: 'exit 0' });
    tool('ib_send_lat', { dials: 'echo " Unable to find the Infiniband/RoCE device" >&2; exit 1' });
    expect((await measure()).outcome).toMatchObject({
      reason: expect.stringMatching(/^at this end: .*Unable to find the Infiniband\/RoCE device/),
    });
    tool('ib_send_lat', { waits: 'echo "Failed to modify QP to RTR" >&2; exit 1', dials: 'exec sleep 600' });
    expect((await measure()).outcome).toMatchObject({
      reason: expect.stringMatching(/^at the other end: .*Failed to modify QP to RTR/),
    });
    expect(left()).toEqual([]);
  });

  it.for<readonly [what: string, dials: string, reason: string]>([
    ['prints nothing', 'exit 0', 'ib_send_lat printed no figures'],
    ['prints garbage', 'head -c 3000 /dev/urandom; exit 0', 'ib_send_lat printed no figures'],
    ['prints N/A', 'echo " #bytes #iterations t_min[usec]"; echo " 8 N/A N/A N/A N/A"', 'printed no figures'],
    [
      'prints for ever',
      'while true; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done',
      'printed more than',
    ],
    ['prints one line for ever', 'tr "\\\\0" x < /dev/zero', 'sent a line that is too long'],
  ])(
    'makes no figure of a tool that %s',
    async ([_what, dials, reason], { bed: { tool, measure, left } }) => {
      tool('ib_send_lat', { dials });
      tool('ib_write_bw', { dials: 'exit 0' });
      const { outcome } = await measure();
      expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining(reason) });
      expect(left()).toEqual([]);
    },
  );

  it('reports what both ends need where a tool is missing', async ({ bed: { measure } }) => {
    const { outcome, ending } = await measure();
    expect(outcome).toEqual({
      kind: 'failed',
      code: 'refused',
      reason: 'both ends need perftest: here is nothing, at the other end nothing',
      bytesUsed: 0,
    });
    expect(ending).toMatchObject({ kind: 'served', runs: 0 });
  });

  it('takes its tools with it when it is stopped', async ({
    signal,
    bed: { tools, tool, measure, left },
  }) => {
    const stop = new AbortController();
    tool('ib_send_lat', { dials: 'touch "$HERE/dials"; exec sleep 600' });
    tool('ib_write_bw', { dials: 'exit 0' });
    const measured = measure({ signal: AbortSignal.any([stop.signal, signal]) }).catch(
      (error: unknown) => error,
    );
    await until(() => existsSync(join(tools.folder, 'dials')), signal, measured);
    stop.abort(new Error('the daemon stops'));
    expect(await measured).toMatchObject({ message: 'the daemon stops' });
    // An end that is too slow to stop is killed, and the kernel kills its tools; who adopted them has to notice.
    await until(() => left().length === 0, signal);
  });

  it('leaves no tool behind when its process is killed with kill -9', async ({
    signal,
    skip,
    bed: { tools, tool, measure, left },
  }) => {
    if (!existsSync('/usr/bin/setpriv')) skip('setpriv of util-linux is not installed');
    tool('ib_send_lat', {
      dials: 'echo $PPID > "$HERE/parent.new"; mv "$HERE/parent.new" "$HERE/parent"; exec sleep 600',
    });
    tool('ib_write_bw', { dials: 'exit 0' });
    const measured = measure({ signal });
    const parents = (): readonly number[] => processIdsIn(join(tools.folder, 'parent'));
    await until(() => parents().length > 0, signal, measured);
    for (const parent of parents()) process.kill(parent, 'SIGKILL');
    const { outcome, ending } = await measured;
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'the probe was killed with SIGKILL' });
    expect(ending).toMatchObject({ kind: 'failed', reason: expect.stringContaining('disappeared') });
    // The kernel has killed it; who adopted it has to notice.
    await until(() => left().length === 0, signal);
  });

  it('costs a stopped sink nothing, whichever source was expected', async ({ bed: { tools } }) => {
    const stop = new AbortController();
    const sink = await openRdmaSink({
      engines: ['perftest'],
      sourceDevice: 'mlx5_0',
      sinkDevice: 'mlx5_1',
      ticket: 'a ticket',
      env: tools.env,
      nodePath: process.execPath,
      host: '127.0.0.1',
      port: 0,
      signal: stop.signal,
    });
    stop.abort();
    expect(await sink.ended).toMatchObject({ kind: 'unused' });
  });
});
