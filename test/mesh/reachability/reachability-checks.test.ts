import { describe, expect, it } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import {
  CHECK_BYTES,
  checkKey,
  encodeAnswer,
  encodeQuestion,
} from '../../../src/mesh/reachability/check-message.ts';
import { REACHABILITY_LIMITS } from '../../../src/mesh/reachability/limits.ts';
import type { ReachTarget } from '../../../src/mesh/reachability/reach-targets.ts';
import { ReachabilityAnswers } from '../../../src/mesh/reachability/reachability-answers.ts';
import { ReachabilityChecks } from '../../../src/mesh/reachability/reachability-checks.ts';
import { MemoryDatagrams } from '../../support/memory-datagrams.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const KEY = new Uint8Array(32).fill(1);
const OTHER_KEY = new Uint8Array(32).fill(2);
const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('b'.repeat(26));
const PORT = 4_181;
const QUERY_PORT = 50_000;

describe('reachability checks', () => {
  it('open an address that answers, within the spread of first questions', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, '10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(REACHABILITY_LIMITS.firstSpreadMs + REACHABILITY_LIMITS.tickMs);
    expect(atlas.reported).toEqual(['opened 10.0.0.2']);
  });

  it('repeat every ten seconds, and report nothing while all is well', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, '10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(600_000);
    expect(atlas.reported).toEqual(['opened 10.0.0.2']);
    expect(atlas.checks.counts.requested).toBeGreaterThanOrEqual(58);
    expect(atlas.checks.counts.requested).toBeLessThanOrEqual(62);
  });

  it('close after two questions in a row without an answer, and not after one', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, '10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(5_000);
    net.wire.block('10.0.0.2');
    const requested = atlas.checks.counts.requested;
    while (atlas.checks.counts.requested === requested) await net.clock.advance(10);
    net.wire.unblock('10.0.0.2'); // one question is lost
    await net.clock.advance(30_000);
    expect(atlas.reported).toEqual(['opened 10.0.0.2']);
    net.wire.block('10.0.0.2');
    const before = atlas.checks.counts.requested;
    while (atlas.reported.length === 1) await net.clock.advance(10);
    expect(atlas.reported.at(-1)).toBe('closed 10.0.0.2 (open): no answer');
    expect(atlas.checks.counts.requested - before).toBe(REACHABILITY_LIMITS.failuresMax);
  });

  it('take answers that came while their own process was suspended', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, '10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(1_000);
    const { requested, answered } = atlas.checks.counts;
    net.delayed = [];
    while (atlas.checks.counts.requested === requested) await net.clock.advance(10);
    net.clock.standStill(5_000);
    await net.clock.advance(1_050);
    net.release();
    expect(atlas.checks.counts).toMatchObject({ answered: answered + 1, dropped: 0 });
    expect(atlas.reported).toEqual(['opened 10.0.0.2']);
  });

  it('are patient while a measurement fills the cable, and not for ever', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, '10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(1_000);
    net.isBusy = true;
    net.wire.block('10.0.0.2');
    const requested = atlas.checks.counts.requested;
    while (atlas.checks.counts.requested < requested + REACHABILITY_LIMITS.failuresBusyMax - 1)
      await net.clock.advance(10);
    net.wire.unblock('10.0.0.2');
    await net.clock.advance(30_000);
    expect(atlas.reported).toEqual(['opened 10.0.0.2']);
    net.wire.block('10.0.0.2');
    while (atlas.reported.length === 1) await net.clock.advance(10);
    expect(atlas.reported.at(-1)).toBe('closed 10.0.0.2 (open): no answer');
  });

  it('are not patient where the system has no route, measurement or not', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, '10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(1_000);
    net.isBusy = true;
    net.wire.block('10.0.0.2', 'ENETUNREACH');
    const requested = atlas.checks.counts.requested;
    while (atlas.reported.length === 1) await net.clock.advance(10);
    expect(atlas.checks.counts.requested - requested).toBe(REACHABILITY_LIMITS.failuresMax);
  });

  it('are back at once when a peer reports that the node is back', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, '10.0.0.2');
    net.wire.block('10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(300_000);
    expect(atlas.reported).toEqual(['closed 10.0.0.2 (new): no answer']);
    net.wire.unblock('10.0.0.2');
    atlas.checks.hurry(JUNO);
    await net.clock.advance(REACHABILITY_LIMITS.firstSpreadMs + REACHABILITY_LIMITS.tickMs);
    expect(atlas.reported.at(-1)).toBe('opened 10.0.0.2');
  });

  it('ask an address that never answers less and less often, down to once a minute', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    atlas.request(JUNO, '10.9.9.9');
    await net.clock.advance(100_000);
    const requested = atlas.checks.counts.requested;
    await net.clock.advance(600_000);
    expect(atlas.checks.counts.requested - requested).toBeGreaterThanOrEqual(9);
    expect(atlas.checks.counts.requested - requested).toBeLessThanOrEqual(11);
  });

  it('are not delayed by any number of dead addresses', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, '10.0.0.2');
    const dead = Array.from({ length: 200 }, (_, index) => target(JUNO, `10.9.9.${index}`));
    atlas.checks.setTargets([...dead, target(JUNO, '10.0.0.2')], () => 'gone');
    await net.clock.advance(1_000);
    expect(atlas.reported).toEqual(['opened 10.0.0.2']);
  });

  it('do not take the answer of another node for that of the one that was meant', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1', '172.17.0.1');
    atlas.request(JUNO, '172.17.0.1');
    await net.clock.advance(2_000);
    expect(atlas.reported).toEqual(['closed 172.17.0.1 (new): another node answers there']);
  });

  it("report the system's error if it has no route", async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.wire.block('10.0.0.2', 'ENETUNREACH');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(2_000);
    expect(atlas.reported).toEqual(['closed 10.0.0.2 (new): no route to that network']);
  });

  it('close what is asked no longer, for the reason that the caller gives', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, '10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(1_000);
    atlas.checks.setTargets([], () => 'the node is offline');
    expect(atlas.reported.at(-1)).toBe('closed 10.0.0.2 (open): the node is offline');
  });

  it('of a node that was started again go to its new port at once', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.wire.open(['10.0.0.2'], 777, (bytes, from) => juno.answers.take(bytes, from));
    const juno = net.add(JUNO, '10.0.0.2');
    atlas.checks.setTargets([{ node: JUNO, address: '10.0.0.2', port: 666 }], () => '');
    await net.clock.advance(3_000);
    expect(atlas.reported).toEqual(['closed 10.0.0.2 (new): no answer']);
    atlas.checks.setTargets([{ node: JUNO, address: '10.0.0.2', port: 777 }], () => '');
    await net.clock.advance(1_000);
    expect(atlas.reported.at(-1)).toBe('opened 10.0.0.2');
  });

  it('find a peer that has only the other key while keys change', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    const juno = net.add(JUNO, '10.0.0.2');
    atlas.checks.setKeys([OTHER_KEY, KEY]);
    atlas.request(JUNO, '10.0.0.2');
    juno.request(ATLAS, '10.0.0.1');
    await net.clock.advance(3_000);
    expect([...atlas.reported, ...juno.reported]).toEqual(['opened 10.0.0.2', 'opened 10.0.0.1']);
    const { requested, answered } = atlas.checks.counts;
    await net.clock.advance(100_000);
    const after = atlas.checks.counts;
    expect(after.answered - answered, 'the key that serves is kept').toBe(after.requested - requested);
  });

  it('stay open when a stranger forges answers, and answer no stranger', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    const juno = net.add(JUNO, '10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    await net.clock.advance(1_000);
    const strange = { nonce: new Uint8Array(16).fill(9), key: checkKey(OTHER_KEY) };
    const served = juno.answers.counts.served;
    for (let turn = 0; turn < 100; turn += 1) {
      atlas.checks.takeAnswer(encodeAnswer(strange, JUNO));
      juno.answers.take(encodeQuestion(strange), { address: '10.6.6.6', port: 1 });
      juno.answers.take(new Uint8Array(turn), { address: '10.6.6.6', port: 1 });
    }
    expect(juno.answers.counts).toMatchObject({ served, dropped: 200 });
    expect(atlas.reported).toEqual(['opened 10.0.0.2']);
  });

  it('answer a question once, however often it is played again', async () => {
    await using net = new Net();
    const juno = net.add(JUNO, '10.0.0.2');
    const bytes = encodeQuestion({ nonce: new Uint8Array(16).fill(3), key: checkKey(KEY) });
    for (let turn = 0; turn < 50; turn += 1) juno.answers.take(bytes, { address: '10.6.6.6', port: 1 });
    expect(juno.answers.counts).toMatchObject({ served: 1, dropped: 49 });
  });

  it('look at no more questions in a second than they can bear, and of strangers at fewer', async () => {
    await using net = new Net();
    const juno = net.add(JUNO, '10.0.0.2');
    const flood = (address: string, first: number): void => {
      for (let turn = 0; turn < 5_000; turn += 1) {
        const nonce = new Uint8Array(16).fill(first).fill(turn >> 8, 0, 8);
        nonce[15] = turn & 255;
        juno.answers.take(encodeQuestion({ nonce, key: checkKey(KEY) }), { address, port: 1 });
      }
    };
    flood('10.6.6.6', 6);
    expect(juno.answers.counts.served).toBe(REACHABILITY_LIMITS.strangerBurst);
    flood('10.0.0.1', 7);
    const { strangerBurst, answerBurst } = REACHABILITY_LIMITS;
    expect(juno.answers.counts.served, 'those who are known').toBe(strangerBurst + answerBurst);
  });

  it('answer a known node while strangers flood them', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    const juno = net.add(JUNO, '10.0.0.2');
    atlas.request(JUNO, '10.0.0.2');
    for (let tenth = 0; tenth < 600; tenth += 1) {
      for (let turn = 0; turn < 100; turn += 1)
        juno.answers.take(new Uint8Array(CHECK_BYTES), { address: '10.6.6.6', port: 1 });
      await net.clock.advance(100);
    }
    expect(atlas.reported).toEqual(['opened 10.0.0.2']);
  });

  it('ask no more in a second than their bound, and get to everybody in time', async () => {
    await using net = new Net();
    const atlas = net.add(ATLAS, '10.0.0.1');
    net.add(JUNO, ...Array.from({ length: 600 }, (_, index) => `10.1.${index >> 8}.${index & 255}`));
    atlas.checks.setTargets(
      Array.from({ length: 600 }, (_, index) => target(JUNO, `10.1.${index >> 8}.${index & 255}`)),
      () => '',
    );
    await net.clock.advance(1_000);
    const { queryBurst, queriesPerSecond } = REACHABILITY_LIMITS;
    expect(atlas.checks.counts.requested).toBeLessThanOrEqual(queryBurst + queriesPerSecond);
    await net.clock.advance(1_000);
    expect(atlas.reported.length).toBe(600);
  });
});

const target = (node: NodeId, address: string): ReachTarget => ({ node, address, port: PORT });

/** Time goes on while nothing wakes up. */
class StoppableClock extends VirtualClock {
  #stoodStillMs = 0;

  standStill(durationMs: number): void {
    this.#stoodStillMs += durationMs;
  }

  override nowMs(): number {
    return super.nowMs() + this.#stoodStillMs;
  }
}

class Net implements AsyncDisposable {
  readonly clock = new StoppableClock();
  /** Answers that have come and are not read yet; undefined: each is read at once. */
  delayed: (() => void)[] | undefined;
  readonly wire = new MemoryDatagrams();
  isBusy = false;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  #drawn = 0;

  add(localId: NodeId, ...addresses: readonly string[]) {
    const reported: string[] = [];
    const [first = '', ...others] = addresses;
    const queries = this.wire.open([first], QUERY_PORT, bytes => {
      if (this.delayed === undefined) checks.takeAnswer(bytes);
      else this.delayed.push(() => checks.takeAnswer(bytes));
    });
    const answering = this.wire.open([first, ...others], PORT, (bytes, from) => answers.take(bytes, from));
    const checks = new ReachabilityChecks({
      clock: this.clock,
      keys: [KEY],
      random: () => {
        this.#drawn = (this.#drawn * 16_807 + 1) % 2_147_483_647;
        return this.#drawn / 2_147_483_647;
      },
      send: (bytes, to) => queries.send(bytes, to),
      isBusy: () => this.isBusy,
      opened: ({ address }) => reported.push(`opened ${address}`),
      closed: ({ address }, reason, was) => reported.push(`closed ${address} (${was}): ${reason}`),
    });
    const answers = new ReachabilityAnswers({
      clock: this.clock,
      localId,
      keys: [KEY],
      answer: (bytes, to) => answering.send(bytes, to),
      isKnown: address => address.startsWith('10.0.'),
    });
    this.#running.push(checks.run(this.#stop.signal));
    const request = (node: NodeId, address: string): void =>
      checks.setTargets([target(node, address)], () => '');
    return { checks, answers, reported, request };
  }

  release(): void {
    for (const read of this.delayed ?? []) read();
    this.delayed = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}
