// The work of llama.cpp from its slots: how many are busy, and how full their contexts are. Since b5600 its metrics
// page has no KV use, and it publishes metrics only with --metrics, slots always (tools/server/README.md, `GET
// /slots`). Pure.

import { isJsonObject, parseAnyJson } from '../../core/json.ts';
import type { ServerFigures } from '../../core/run/server-reading.ts';

export const SLOTS_PAGE = '/slots';

/** undefined: not a list of slots. */
export const readSlots = (text: string): Pick<ServerFigures, 'running' | 'kvUsage'> | undefined => {
  const slots = parseAnyJson(text);
  if (!Array.isArray(slots) || slots.length === 0 || !slots.every(isJsonObject)) return undefined;
  let running = 0;
  let used = 0;
  let room = 0;
  for (const slot of slots) {
    room += countOf(slot['n_ctx']);
    if (slot['is_processing'] !== true) continue;
    running += 1;
    // Includes what it has written so far. An idle slot keeps its last prompt, as a cache that can be replaced at any
    // time.
    used += countOf(slot['n_prompt_tokens']);
  }
  return room === 0 ? undefined : { running, kvUsage: Math.min(1, used / room) };
};

const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
