// The fuzzer finds what it is there to find, and every target takes its seeds and a few inputs made of them. The many inputs, led by
// coverage, are `npm run fuzz` (docs/fuzzing.md).

import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { longCount } from '../support/counts.ts';
import { attempt } from './attempt.ts';
import { fuzz } from './fuzz-loop.ts';
import { type FuzzTarget, textOfInput, textSeeds } from './fuzz-target.ts';
import { COUNTERS, instrument } from './instrument.ts';
import { mutated } from './mutate.ts';
import { shortened } from './shortened.ts';
import { loadTarget, targetNames } from './targets.ts';

describe('the fuzzer', () => {
  test('finds a bug behind five comparisons by the branches that it counts, and not without', async () => {
    const counters = new Uint8Array(64);
    Reflect.set(globalThis, COUNTERS, counters);
    const { code, lines } = instrument(PLANTED, 'planted.ts', 0);
    const { parse }: { readonly parse: (input: Uint8Array) => void } = await import(
      `data:text/javascript,${encodeURIComponent(code)}`
    );
    const planted = { ...target, run: parse };
    expect(await runsUntilFound(planted, counters.subarray(0, 4 * Math.ceil(lines.length / 4)))).toBeLessThan(
      MOST,
    );
    expect(await runsUntilFound(planted, undefined)).toBe(MOST);
  });

  test('counts each branch where it is', async () => {
    const counters = new Uint8Array(64);
    Reflect.set(globalThis, COUNTERS, counters);
    const { code, lines } = instrument(BRANCHES, 'branches.ts', 0);
    const { way }: { readonly way: (n: number) => string } = await import(
      `data:text/javascript,${encodeURIComponent(code)}`
    );
    const taken = (n: number) => {
      counters.fill(0);
      const reported = way(n);
      return [reported, lines.map((line, at) => (counters[at] === 0 ? 0 : line))];
    };
    // Each `if` has a branch for either way; what surrounds them, the function, comes last.
    expect(lines).toEqual([3, 3, 5, 5, 6, 6, 2]);
    expect(taken(0)).toEqual(['zero', [3, 0, 0, 0, 0, 0, 2]]);
    expect(taken(1)).toEqual(['odd', [0, 3, 0, 5, 0, 6, 2]]);
    expect(taken(-2)).toEqual(['even', [0, 3, 5, 0, 6, 0, 2]]);
  });

  test('keeps to its declared refusal, and takes nothing else for one', async () => {
    const refusing: FuzzTarget = {
      ...target,
      run: input => {
        throw input.length > 2 ? new TypeError('x is undefined') : new RangeError('refused');
      },
      isRefusal: error => error instanceof RangeError,
    };
    expect(await attempt(refusing, new Uint8Array(2))).toBeUndefined();
    expect(await attempt(refusing, new Uint8Array(3))).toEqual({
      kind: 'threw',
      what: 'TypeError: x is undefined',
    });
  });

  test('notices a prototype that an input has changed', async () => {
    const assigning: FuzzTarget = {
      ...target,
      run: () => Object.assign({}, { list: [Object.create({ x: 1 })] }),
    };
    expect((await attempt(assigning, new Uint8Array()))?.kind).toBe('prototype');
    const polluting: FuzzTarget = { ...target, run: () => Reflect.set(Object.prototype, 'polluted', 1) };
    const finding = await attempt(polluting, new Uint8Array());
    Reflect.deleteProperty(Object.prototype, 'polluted');
    expect(finding?.what).toBe('Object.prototype has another name: polluted');
  });

  test('notices what takes much memory', async () => {
    const arrays: Uint8Array[] = [];
    const holding: FuzzTarget = { ...target, run: () => arrays.push(new Uint8Array(2 ** 28)) };
    expect((await attempt(holding, new Uint8Array(9)))?.kind).toBe('memory');
    arrays.length = 0;
  });

  test('makes an input shorter for as long as it does the same', async () => {
    const input = Buffer.from('some text, then a { and more, then a } and the rest');
    const short = await shortened(input, async tried => /\{.*\}/.test(textOfInput(tried)));
    expect(textOfInput(short)).toBe('{}');
  });

  test('makes the same inputs of the same seed', () => {
    const inputs = (seed: number) => {
      const random = seededRandom(seed);
      const seedInput = Buffer.from('{"a":[1,2,{"b":"c"}]}\nline 2');
      return Array.from({ length: 50 }, () =>
        Buffer.from(
          mutated(seedInput, { random, words: [], other: () => seedInput, bytesMax: 100 }),
        ).toString('hex'),
      );
    };
    expect(inputs(7)).toEqual(inputs(7));
    expect(inputs(7)).not.toEqual(inputs(8));
  });
});

test.each(targetNames())(
  '%s takes its seeds and what a few changes make of them',
  async name => {
    const attacked = await loadTarget(name);
    const found: string[] = [];
    const runs = longCount(100, 20_000);
    await fuzz(attacked, {
      seed: 1,
      words: [],
      found: ({ kind, what }, input) =>
        found.push(`${kind}: ${what} (${Buffer.from(input).toString('base64').slice(0, 2_000)})`),
      goesOn: executions => executions < runs && found.length === 0,
    });
    expect(found).toEqual([]);
  },
  longCount(60_000, 600_000),
);

const target: FuzzTarget = {
  name: 'made up',
  covers: [],
  seeds: () => textSeeds('plain'),
  run: () => undefined,
};

const MOST = 10_000;
const runsUntilFound = async (planted: FuzzTarget, counters: Uint8Array | undefined): Promise<number> => {
  let isFound = false;
  const { executions } = await fuzz(planted, {
    seed: 1,
    words: [],
    ...(counters === undefined ? {} : { counters }),
    found: () => {
      isFound = true;
    },
    goesOn: count => count < MOST && !isFound,
  });
  return executions;
};

const PLANTED = `
export const parse = (input: Uint8Array): void => {
  if ((input[0] ?? 0) < 0xe0) return;
  if ((input[1] ?? 0) > 0x1f) return;
  if ((input[2] ?? 0) < 0xe0) return;
  if ((input[3] ?? 99) > 0x1f) return;
  if ((input[4] ?? 0) > 0xdf) throw new Error('found');
};
`;

const BRANCHES = `
export const way = (n: number): string => {
  if (n === 0) return 'zero';
  let size = n as unknown as number;
  if (n < 0) size = -n;
  return size % 2 === 0 ? 'even' : 'odd';
};
`;
