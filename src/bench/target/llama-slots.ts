// The work of llama.cpp from its slots: how many are busy, and how full their contexts are. Since b5600 its metrics
// page has no KV use, and it publishes metrics only with --metrics, slots always (tools/server/README.md, `GET
// /slots`). Pure.

import { isJsonObject, parseAnyJson } from '../../core/json.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { ServerFigures } from '../../core/run/server-reading.ts';
import { readServerFigures } from './server-metrics.ts';

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

// How many requests a server is processing and queueing now, from its Prometheus page. Pure.

/** Requests running and waiting, or undefined if the page has no known figure. */
export const requestsInFlight = (page: string): number | undefined => {
  const { running = NO_FIGURE, waiting = NO_FIGURE } = readServerFigures(page) ?? {};
  return running === NO_FIGURE ? undefined : running + Math.max(0, waiting);
};

/** Requests waiting, or undefined if the page has no known figure of them. */
export const requestsWaiting = (page: string): number | undefined => {
  const { waiting = NO_FIGURE } = readServerFigures(page) ?? {};
  return waiting === NO_FIGURE ? undefined : waiting;
};
