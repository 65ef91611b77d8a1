import { describe, expect, test } from 'vitest';
import { chooseStamps } from '../../../src/bench/load/stamp-choice.ts';
import { type TrialSockets, tryStamps } from '../../../src/bench/loop/stamp-trial.ts';
import { type KernelIo, loadKernelIo } from '../../../src/native/kernel-io.ts';
import { NO_STAMP } from '../../../src/native/kernel-layout.ts';
import { NOTHING_YET, SocketError } from '../../../src/native/sockets.ts';

const { platform, arch } = process;
const OPTIONS = { targets: [], nowNs: () => 0, platform, arch, env: {} };

/** A kernel on which each exchange succeeds at once. */
class MadeUpKernel implements TrialSockets {
  readonly stamp = { stampNs: NO_STAMP, byteIndex: NO_STAMP };
  readonly closed: number[] = [];
  waits = 0;
  exchanges = 0;
  readonly #stampOf: (exchange: number) => number;

  constructor(stampOf: (exchange: number) => number) {
    this.#stampOf = stampOf;
  }

  listen(): { readonly fd: number; readonly port: number } {
    return { fd: 3, port: 4_000 };
  }

  connect(): number {
    return 4;
  }

  accept(): number {
    return 5;
  }

  enableStamps(): string | undefined {
    return undefined;
  }

  send(): number {
    this.exchanges += 1;
    return 1;
  }

  receive(): number {
    this.stamp.stampNs = this.#stampOf(this.exchanges);
    return 1;
  }

  watch(): void {}

  wait(): number {
    this.waits += 1;
    return 0;
  }

  wallNs(): number {
    return 7e9;
  }

  close(fd: number): void {
    this.closed.push(fd);
  }
}

describe('the trial of the timestamps', () => {
  test('succeeds with the first timestamp, and leaves one descriptor open, so that the kernel goes on', () => {
    const kernel = new MadeUpKernel(() => 7e9 + 4_000);
    expect(tryStamps(kernel)).toEqual({ kind: 'stamped', descriptor: 4 });
    expect(kernel.closed).toEqual([3, 5]);
    expect(kernel.waits).toBe(0);
  });

  test('waits for a kernel that enables timestamps only after some packets', () => {
    const kernel = new MadeUpKernel(exchange => (exchange < 4 ? NO_STAMP : 7e9));
    expect(tryStamps(kernel)).toEqual({ kind: 'stamped', descriptor: 4 });
    expect(kernel.exchanges).toBe(4);
  });

  test.each<[string, MadeUpKernel, RegExp]>([
    [
      'accepts the option and stamps nothing',
      new MadeUpKernel(() => NO_STAMP),
      /accepts .* returns no timestamps/,
    ],
    ['stamps by another clock', new MadeUpKernel(() => 12e9), /not of the wall clock/],
    [
      'refuses the option',
      new (class extends MadeUpKernel {
        override enableStamps(): string {
          return 'SO_TIMESTAMPING: ENOPROTOOPT';
        }
      })(() => 7e9),
      /^SO_TIMESTAMPING: ENOPROTOOPT$/,
    ],
    [
      'has no loopback',
      new (class extends MadeUpKernel {
        override connect(): number {
          throw new SocketError('connect', 'ENETUNREACH');
        }
      })(() => 7e9),
      /could not be tried over loopback: connect: ENETUNREACH/,
    ],
    [
      'passes nothing on',
      new (class extends MadeUpKernel {
        override receive(): number {
          return NOTHING_YET;
        }
      })(() => 7e9),
      /could not be tried over loopback: no answer/,
    ],
  ])('finds a kernel that %s, and closes everything', (_, kernel, reason) => {
    const trial = tryStamps(kernel);
    expect(trial).toEqual({ kind: 'unstamped', reason: expect.stringMatching(reason) });
    const opened = reason.source.includes('ENETUNREACH') ? [3] : [3, 4, 5];
    expect(kernel.closed).toEqual(opened);
  });
});

test("a run on a kernel that stamps nothing uses Node's sockets, and states why", async context => {
  const load = await loadKernelIo(OPTIONS);
  if (load.kind === 'missing') return context.skip(load.reason);
  const choice = await chooseStamps({
    ...OPTIONS,
    loadIo: async () => ({ kind: 'loaded', io: withoutStamps(load.io) }),
  });
  expect(choice.loop).toBeUndefined();
  expect(choice.stamps).toEqual({
    by: 'read',
    reason: 'the kernel cannot be used: it accepts SO_TIMESTAMPING and returns no timestamps',
  });
});

test('this kernel passes the trial, or states why not', async context => {
  const { loop, stamps } = await chooseStamps(OPTIONS);
  if (stamps.by === 'read') return context.skip(stamps.reason);
  expect(loop).toBeDefined();
  loop?.stop();
});

/** The real one, whose reads have no timestamp. */
const withoutStamps = (io: KernelIo): KernelIo =>
  new Proxy(io, {
    get: (target, name) => {
      if (name === 'stamp') return { stampNs: NO_STAMP, byteIndex: NO_STAMP };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
