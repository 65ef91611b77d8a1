// One hash of the state that all nodes agree on once they have exchanged events: current durable values and
// how far each origin's events are known. Values local to a node are left out: live kinds, ages, receipts,
// counts, history.

import { createHash } from 'node:crypto';
import { DURABLE_FIELDS, type State } from '../../core/state.ts';

/** SHA-256, hex. Equal for equal durable state, regardless of the order of arrival. */
export const canonicalHash = (state: State): string =>
  createHash('sha256')
    .update(canonicalText(durableParts(state)))
    .digest('hex');

/** As `canonicalHash`, but cached while no durable part of the state has changed, for frequent callers. */
export const canonicalHasher = (): ((state: State) => string) => {
  let cached: { readonly parts: readonly unknown[]; readonly hash: string } | undefined;
  return state => {
    const parts: readonly unknown[] = Object.values(durableParts(state));
    if (cached?.parts.some((part, index) => part !== parts[index]) !== false)
      cached = { parts, hash: canonicalHash(state) };
    return cached.hash;
  };
};

const durableParts = (state: State): object =>
  Object.fromEntries([...DURABLE_FIELDS, 'origins' as const].map(field => [field, state[field]]));

/** JSON with sorted keys, without values local to one process and without empty mappings. */
const canonicalText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const parts = Object.entries(value)
    .filter(([name, inner]) => !LOCAL_NAMES.has(name) && inner !== undefined && !isEmptyMapping(inner))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${JSON.stringify(name)}:${canonicalText(inner)}`);
  return `{${parts.join(',')}}`;
};

const isEmptyMapping = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const LOCAL_NAMES: ReadonlySet<string> = new Set(['ageMs', 'receivedAtMs']);
