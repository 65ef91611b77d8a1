import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { measureLink } from '../../../src/probe/socket/measure-link.ts';
import { ProbeError } from '../../../src/probe/socket/probe-error.ts';
import { measureSocketLink } from '../../../src/probe/socket/socket-link.ts';
import type { StreamEngine } from '../../../src/probe/socket/stream.ts';
import { openStreamEngine } from '../../../src/probe/socket/stream-engine.ts';
import { isLongRun, longCount } from '../../support/counts.ts';
import { FAULT_NAMES, FAULTS, type Fault, faultySink, SLOW_FAULTS, TICKET } from './faulty-sink.ts';
import { openThings } from './open-things.ts';

const BUDGET = { bytesMax: 2_000_000_000, durationMsMax: 8_000, measuresExtras: true };

describe('a probe of a sink that', () => {
  test.concurrent.each(isLongRun ? FAULT_NAMES : FAULT_NAMES.filter((_, index) => index % 3 === 0))(
    '%s fails with that as its reason',
    async fault => {
      await using sink = await faultySink(fault);
      const outcome = await measureSocketLink({
        address: '127.0.0.1',
        port: sink.port,
        ticket: TICKET,
        roundTrips: 20,
        budget: BUDGET,
        signal: AbortSignal.timeout(25_000),
        env: process.env,
        nodePath: process.execPath,
      });
      expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(FAULTS[fault]) });
      expect(outcome.kind === 'failed' && outcome.bytesUsed).toBeLessThanOrEqual(BUDGET.bytesMax);
    },
  );
});

test('probes of faulty sinks leave nothing behind', {
  timeout: longCount(60_000, 1_800_000),
}, async context => {
  if (!isLongRun) context.skip('eight probes more: in npm run test:long');
  if (openThings() === undefined) context.skip('there is no /proc to count with');
  const quick = FAULT_NAMES.filter(fault => !SLOW_FAULTS.includes(fault));
  await using engine = await openStreamEngine(process.env, process.platform);
  await engine.prepare(2 * PROBES_AT_ONCE); // threads that are used again
  await faultyProbe('hangs up', 0, engine); // loads what stays loaded
  const before = openThings();
  const count = longCount(30, 1_000);
  for (let at = 0; at < count; at += PROBES_AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(PROBES_AT_ONCE, count - at) }, (_, index) =>
        faultyProbe(quick[(at + index) % quick.length] ?? 'silent', at + index, engine),
      ),
    );
  }
  expect(openThings()).toEqual(before);
});

/** In this process, threads and all; every tenth in a child as probes are, so that children are counted too. */
const faultyProbe = async (fault: Fault, number: number, engine: StreamEngine): Promise<void> => {
  await using sink = await faultySink(fault);
  const signal = AbortSignal.timeout(60_000);
  if (number % 10 === 9) {
    const at = { address: '127.0.0.1', port: sink.port, ticket: TICKET, roundTrips: 20, budget: BUDGET };
    const outcome = await measureSocketLink({ ...at, signal, env: process.env, nodePath: process.execPath });
    expect(outcome.kind).toBe('failed');
    return;
  }
  const measured = measureLink(
    {
      sink: {
        address: '127.0.0.1',
        port: sink.port,
        ticket: TICKET,
        sourceInterface: undefined,
        sockets: undefined,
      },
      engine,
      clock: systemClock,
      signal,
      budget: BUDGET,
      roundTrips: 20,
      streamsMax: 2,
    },
    () => undefined,
  );
  await expect(measured).rejects.toBeInstanceOf(ProbeError);
};

const PROBES_AT_ONCE = 5;
