// What a parser of a tool or of files must give: figures that are figures, and readings that other nodes believe.

import * as v from 'valibot';
import { EVENT_KINDS } from '../../src/core/event-kinds.ts';
import type { Reading } from '../../src/core/node/reading.ts';

/** A reading whose payload a peer refuses would be lost with every reading next to it. */
export const holdBelieved = (reading: Reading): void => {
  const payload: unknown = JSON.parse(
    JSON.stringify({ source: 'fuzz', intervalMs: 1_000, value: reading.value }),
  );
  const { issues } = v.safeParse(EVENT_KINDS[`${reading.kind}.gathered`].schema, payload);
  if (issues !== undefined)
    throw new Error(
      `${reading.kind}: ${issues.map(issue => `${v.getDotPath(issue)}: ${issue.message}`).join('; ')}`,
    );
};

/** No NaN and nothing infinite anywhere. */
export const holdFinite = <T>(value: T): T => {
  const path = notFiniteIn(value);
  if (path !== undefined) throw new Error(`not a figure at ${path}`);
  return value;
};

const notFiniteIn = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : '';
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  for (const [name, item] of entries) {
    const path = notFiniteIn(item);
    if (path !== undefined) return `${String(name)}.${path}`;
  }
  return undefined;
};
