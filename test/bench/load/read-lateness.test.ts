import { expect, test } from 'vitest';
import { ReadLateness } from '../../../src/bench/load/read-lateness.ts';

/** A loop that sleeps and works by the script. */
class Loop {
  nowNs = 0;
  idleNs = 0;
  queuedNs = 0;
  readonly reads: ReadLateness;

  constructor(countsQueued: boolean = true) {
    this.reads = new ReadLateness(
      0,
      () => this.idleNs,
      () => (countsQueued ? this.queuedNs : undefined),
    );
  }

  sleeps(ns: number): this {
    this.nowNs += ns;
    this.idleNs += ns;
    return this;
  }

  /** Woken, without a processor: to the loop that looks as sleep. */
  waits(ns: number): this {
    this.queuedNs += ns;
    return this.sleeps(ns);
  }

  works(ns: number): this {
    this.nowNs += ns;
    return this;
  }

  reading(): number {
    return this.reads.read(this.nowNs);
  }

  ends(): this {
    this.reads.closeTurn(this.nowNs);
    return this;
  }
}

test('what woke the loop is late by nothing that the loop did', () => {
  expect(new Loop().ends().sleeps(5_000_000).reading()).toBe(0);
});

test('what is read behind others of its turn waited for them at the most', () => {
  const loop = new Loop().ends().sleeps(5_000_000);
  loop.reading();
  expect(loop.works(300).reading()).toBe(300);
  expect(loop.works(200).reading()).toBe(500);
});

test('what the loop was busy with since it slept may have kept its bytes waiting', () => {
  const loop = new Loop().ends().sleeps(5_000_000).works(700);
  expect(loop.reading()).toBe(700);
  expect(loop.works(50).reading()).toBe(750);
});

test('bytes that were there when the loop looked again may have come since it looked before', () => {
  const loop = new Loop().ends().sleeps(1_000_000);
  loop.reading();
  loop.works(2_000).ends();
  expect(loop.works(100).reading()).toBe(2_100);
});

test('a loop that turns in circles has the time of its last look', () => {
  const loop = new Loop().ends().works(9_000);
  loop.reads.polledSince(8_900);
  expect(loop.reading()).toBe(100);
});

test('with any delay of the system, no bytes waited longer than the loop worked and slept since it was last awake', () => {
  const loop = new Loop().ends().sleeps(20_000);
  loop.reads.awake(loop.nowNs);
  loop.works(300).sleeps(4_000_000).works(100);
  expect([loop.reading(), loop.reads.restNs]).toEqual([400, 4_000_000]);
});

test('a timer behind reads of the same turn is no sign that nothing came meanwhile', () => {
  const loop = new Loop().ends().sleeps(1_000_000);
  loop.reading();
  loop.works(2_000).ends();
  loop.reads.awake(loop.nowNs);
  expect(loop.works(100).reading()).toBe(2_100);
});

test('what the loop waited for a processor after it was woken is known of its reads', () => {
  const loop = new Loop().works(1_000_000).ends().sleeps(5_000_000).waits(3_000_000).works(700);
  expect([loop.reading(), loop.reads.restNs]).toEqual([3_000_700, 5_000_000]);
  expect(loop.works(50).reading()).toBe(3_000_750);
});

test('waiting before the loop fell asleep is no lateness of what it reads behind that', () => {
  const loop = new Loop().works(1_000_000).waits(4_000_000).ends().sleeps(900_000);
  expect(loop.reading()).toBe(0);
});

test('a sleep too short to ask the scheduler may have been all waiting', () => {
  const loop = new Loop().works(1_000_000).ends().sleeps(30_000).works(100);
  expect([loop.reading(), loop.reads.restNs]).toEqual([30_100, 0]);
});

test('without a counting scheduler, only marks show the waiting for a processor', () => {
  const loop = new Loop(false).works(1_000_000).ends().sleeps(5_000_000).waits(3_000_000).works(700);
  expect([loop.reading(), loop.reads.restNs]).toEqual([700, 8_000_000]);
});

test('what comes in a sleep past a timer, which no wait for a processor explains, may be as late as all of it', () => {
  const loop = new Loop().ends().sleeps(2_000_000_000).works(1_000);
  expect(loop.reading()).toBe(2_000_001_000);
  expect(loop.reads.takeBlockedNs()).toBe(1_980_000_000);
  expect(loop.reads.takeBlockedNs()).toBe(0);
});

test('a sleep past a timer that was a wait for a processor is known as such', () => {
  const loop = new Loop().ends().sleeps(15_000_000).waits(85_000_000).works(1_000);
  expect(loop.reading()).toBe(85_001_000);
  expect(loop.reads.takeBlockedNs()).toBe(0);
});

test('a beat contains how long nothing came while its thread was stopped', () => {
  const loop = new Loop().ends().sleeps(120_000_000);
  loop.reads.awake(loop.nowNs);
  expect(loop.reads.takeBlockedNs()).toBe(100_000_000);
  loop.sleeps(20_500_000).reads.awake(loop.nowNs);
  expect(loop.reads.takeBlockedNs()).toBe(0);
});

test('what is read behind a beat that came late was not seen to be missing by that beat', () => {
  const loop = new Loop().ends().sleeps(2_000_000_000);
  loop.reads.awake(loop.nowNs);
  expect(loop.works(500_000).reading()).toBe(2_000_500_000);
  loop.ends().sleeps(15_000_000).reads.awake(loop.nowNs);
  expect(loop.sleeps(3_000_000).reading()).toBe(0);
});

test('a beat in time reports that nothing had come until then', () => {
  const loop = new Loop().ends().sleeps(2_000_000_000);
  loop.reads.awake(loop.nowNs);
  loop.sleeps(20_000_000).reads.awake(loop.nowNs);
  expect(loop.sleeps(3_000_000).works(700).reading()).toBe(700);
});
