import { describe, expect, test } from 'vitest';
import { runSession } from '../../../src/bench/run/session.ts';
import type { EventRecord } from '../../../src/core/run/event-record.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ScriptedLoad } from './scripted-load.ts';

const session = (
  hasWarmup = true,
  unmeasuredNs = 0,
  early?: { readonly drain: AbortController; readonly cancel: AbortController },
  zero?: () => Promise<number | undefined>,
) => {
  const clock = new VirtualClock();
  const load = new ScriptedLoad();
  const stop = new AbortController();
  const stopNow = new AbortController();
  const records: string[] = [];
  const phases: string[] = [];
  let nowNs = 0;
  const running = runSession({
    load,
    clock,
    hasWarmup,
    unmeasuredNs,
    record: (record: EventRecord) => {
      if ('atNs' in record) records.push(`${record.kind} ${record.atNs}`);
    },
    nowNs: () => nowNs,
    onPhase: phase => phases.push(phase),
    stop: stop.signal,
    stopNow: stopNow.signal,
    ...(zero === undefined ? {} : { zero }),
    ...(early === undefined ? {} : { early: { drain: early.drain.signal, cancel: early.cancel.signal } }),
  });
  /** Runs everything that is ready, then sets the clock. */
  const at = async (ns: number): Promise<void> => {
    await new Promise(resolve => setImmediate(resolve));
    nowNs = ns;
  };
  return { clock, load, stop, stopNow, records, phases, running, at };
};

const ORDER = [
  'session.started',
  'session.start_performance_tracking',
  'session.stop_load',
  'session.stop_performance_tracking',
  'session.ended',
];

describe('a session', () => {
  test('goes through its phases in order, each reported once', async () => {
    const { load, records, phases, running, at } = session();
    await at(500);
    load.counts = { issued: 3, warmup: 3, ended: 3 };
    load.warmedUp();
    await at(2_000);
    load.counts = { issued: 10, warmup: 3, ended: 8 };
    load.issuedAll(2_500);
    await at(3_000);
    load.end('complete', 2_900);
    const result = await running;
    expect(records).toEqual([
      'session.started 0',
      'session.start_performance_tracking 1000',
      'session.stop_load 2500',
      'session.stop_performance_tracking 3000',
      'session.ended 3000',
    ]);
    expect(phases).toEqual(['warming up', 'measuring', 'draining', 'ended']);
    expect(load.calls).toEqual(['warm up', 'start']);
    expect(result).toMatchObject({ load: { kind: 'complete' }, warmupIssued: 3, issued: 10 });
  });

  test('waits behind its warm-up for the zero that others choose', async () => {
    const zero = Promise.withResolvers<number | undefined>();
    const { load, records, phases, running, at } = session(true, 0, undefined, () => zero.promise);
    await at(500);
    load.warmedUp();
    await at(600);
    expect(load.calls).toEqual(['warm up']);
    zero.resolve(7_000);
    await at(7_500);
    load.issuedAll(8_000);
    load.end('complete', 8_000);
    await running;
    expect(load.calls).toEqual(['warm up', 'start at 7000']);
    expect(records).toContain('session.start_performance_tracking 7000');
    expect(phases).toEqual(['warming up', 'waiting', 'measuring', 'draining', 'ended']);
  });

  test('that is stopped while it waits for the common zero measures nothing', async () => {
    const never = new Promise<undefined>(() => undefined);
    const { load, stop, phases, running, at } = session(false, 0, undefined, () => never);
    await at(500);
    stop.abort();
    await running;
    expect(load.calls).toEqual(['stop']);
    expect(phases).toEqual(['waiting', 'stopping', 'ended']);
  });

  test('without a warm-up starts at once', async () => {
    const { load, phases, running, at } = session(false);
    await at(1);
    load.issuedAll(2);
    load.end('complete', 2);
    await running;
    expect(load.calls).toEqual(['start']);
    expect(phases).toEqual(['measuring', 'draining', 'ended']);
  });

  test('that is stopped ends what is in flight, and reports every phase nevertheless', async () => {
    const { load, stop, records, phases, running, at } = session(false);
    await at(1);
    stop.abort();
    const result = await running;
    expect(load.calls).toEqual(['start', 'stop']);
    expect(records.map(record => record.split(' ')[0])).toEqual(ORDER);
    expect(phases).toEqual(['measuring', 'stopping', 'ended']);
    expect(result.load.kind).toBe('stopped');
  });

  test('that is stopped while warming up measures nothing', async () => {
    const { load, stop, records, running, at } = session();
    await at(1);
    stop.abort();
    await running;
    expect(load.calls).toEqual(['warm up', 'stop']);
    expect(records.map(record => record.split(' ')[0])).toEqual(ORDER);
  });

  test('whose load loses a thread while warming up does not wait for it', async () => {
    const { load, records, running, at } = session();
    await at(1);
    load.end('incomplete', 7, ['load thread 0 exited']);
    const result = await running;
    expect(result.load).toMatchObject({ kind: 'incomplete', reasons: ['load thread 0 exited'] });
    expect(records.map(record => record.split(' ')[0])).toEqual(ORDER);
  });

  test('that is stopped a second time gives the load up', async () => {
    const { load, stop, stopNow, running, at } = session(false);
    load.respondsToStop = false;
    await at(1);
    stop.abort();
    await at(9_000);
    stopNow.abort();
    const result = await running;
    expect(result.load).toMatchObject({
      kind: 'incomplete',
      atNs: 9_000,
      reasons: ['the load was aborted before its end'],
    });
  });

  test('measures only behind its ramp, and reports it before the first sample comes', async () => {
    const { clock, load, records, phases, running, at } = session(false, 30e9);
    await at(0);
    expect(records).toEqual(['session.started 0', 'session.start_performance_tracking 30000001000']);
    expect(phases).toEqual(['ramping']);
    await clock.advance(30_001);
    await at(30e9);
    expect(phases).toEqual(['ramping', 'measuring']);
    load.counts = { issued: 10, warmup: 4, ended: 10 };
    load.issuedAll(40e9);
    load.end('complete', 40e9);
    expect(await running).toMatchObject({ warmupIssued: 4, issued: 10 });
  });

  test('whose load ends while it grows waits for no ramp', async () => {
    const { load, records, running, at } = session(false, 30e9);
    await at(1);
    load.end('incomplete', 7, ['load thread 0 exited']);
    await running;
    expect(records.map(record => record.split(' ')[0])).toEqual(ORDER);
  });
});

describe('a session that is ended early', () => {
  const early = () => ({ drain: new AbortController(), cancel: new AbortController() });

  test('issues no more when it drains, and waits for what is in flight', async () => {
    const ending = early();
    const { load, running, at } = session(false, 0, ending);
    await at(2_000);
    ending.drain.abort();
    await at(3_000);
    expect(load.calls).toEqual(['start', 'end issuing']);
    load.issuedAll(2_000);
    load.end('complete', 2_900);
    expect((await running).load.kind).toBe('complete');
  });

  test('cancels what is in flight when its stage requests it, and does not report that a person stopped it', async () => {
    const ending = early();
    const { load, phases, running, at } = session(false, 0, ending);
    await at(2_000);
    ending.cancel.abort();
    expect((await running).load.kind).toBe('stopped');
    expect(load.calls).toEqual(['start', 'stop']);
    expect(phases).toEqual(['measuring', 'draining', 'ended']);
  });
});
