// One input given to a target, and what counts as a crash: anything thrown but the declared refusal, an input that costs more than a
// second of processor or far more memory than it has bytes, a changed prototype.

import { getHeapStatistics } from 'node:v8';
import type { FuzzTarget } from './fuzz-target.ts';

export interface Finding {
  readonly kind: 'threw' | 'slow' | 'memory' | 'prototype';
  /** What happened; equal for equal causes as far as can be determined. */
  readonly what: string;
}

/** Undefined where all is well. */
export const attempt = async (target: FuzzTarget, bytes: Uint8Array): Promise<Finding | undefined> => {
  // No Buffer: what a parser cuts out of it would be one.
  const input = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const begunMs = performance.now();
  const bufferedBytes = memoryBytes();
  let value: unknown;
  try {
    const result = target.run(input);
    value = result instanceof Promise ? await result : result;
  } catch (error) {
    if (target.isRefusal?.(error) !== true) return { kind: 'threw', what: thrown(error) };
  }
  const grownBytes = memoryBytes() - bufferedBytes;
  if (grownBytes > GROWTH_BYTES_MOST)
    return {
      kind: 'memory',
      what: `holds ${Math.round(grownBytes / 2 ** 20)} MiB after ${input.length} bytes`,
    };
  const strange = prototypeChange() ?? strangeWithin(value);
  if (strange !== undefined) return { kind: 'prototype', what: strange };
  if (performance.now() - begunMs < SLOW_MS) return undefined;
  return await slowness(target, input);
};

/** On a busy machine the wall clock proves nothing: the same again, by the processor's time of this thread. */
const slowness = async (target: FuzzTarget, input: Uint8Array): Promise<Finding | undefined> => {
  const before = process.threadCpuUsage();
  try {
    await target.run(input);
  } catch (error) {
    if (target.isRefusal?.(error) !== true) return { kind: 'threw', what: thrown(error) };
  }
  const { user, system } = process.threadCpuUsage(before);
  const ms = (user + system) / 1_000;
  return ms < SLOW_MS
    ? undefined
    : { kind: 'slow', what: `${Math.round(ms)} ms of processor for ${input.length} bytes` };
};

const memoryBytes = (): number => {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
};

const thrown = (error: unknown): string =>
  error instanceof Error
    ? `${error.name}: ${error.message.slice(0, 300)}`
    : `threw ${String(error).slice(0, 300)}`;

/** The prototypes that all objects share, as they were before any input. */
const SHARED: readonly object[] = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Number.prototype,
  Promise.prototype,
  Map.prototype,
];
const NAMES_BEFORE: readonly number[] = SHARED.map(one => Reflect.ownKeys(one).length);

const prototypeChange = (): string | undefined => {
  const at = SHARED.findIndex((one, index) => Reflect.ownKeys(one).length !== NAMES_BEFORE[index]);
  const changed = SHARED[at];
  return changed === undefined
    ? undefined
    : `${changed.constructor.name}.prototype has another name: ${String(Reflect.ownKeys(changed).at(-1))}`;
};

/** An object whose prototype is itself plain data: `__proto__` of some input was assigned. Looks at a bounded number of values. */
const strangeWithin = (value: unknown): string | undefined => {
  const open: unknown[] = [value];
  for (let looked = 0; looked < VALUES_LOOKED_AT && open.length > 0; looked += 1) {
    const one = open.pop();
    if (typeof one !== 'object' || one === null || ArrayBuffer.isView(one)) continue;
    const prototype: unknown = Object.getPrototypeOf(one);
    if (prototype !== Object.prototype && prototype !== null && typeof prototype === 'object') {
      if (!Object.hasOwn(prototype, 'constructor') && !Object.hasOwn(prototype, Symbol.toStringTag))
        return `an object whose prototype is ${JSON.stringify(prototype).slice(0, 100)}`;
    }
    const inner = one instanceof Map ? [...one.entries()].slice(0, VALUES_LOOKED_AT) : Object.values(one);
    for (const item of inner.slice(0, VALUES_LOOKED_AT)) open.push(item);
  }
  return undefined;
};

const SLOW_MS = 1_000;
const GROWTH_BYTES_MOST = 192 * 2 ** 20;
const VALUES_LOOKED_AT = 64;
