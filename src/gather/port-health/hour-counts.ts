// How much counters have grown within the last hour: their values at each change, as far back as that.

import type { PortHealth } from '../../core/node/port-health.ts';
import { unknown } from '../../core/unknown.ts';

interface Point {
  readonly atMs: number;
  readonly total: number;
}

interface Counted {
  readonly sinceMs: number;
  /** The oldest is the last one from before the hour, or the first. */
  readonly points: readonly Point[];
}

type Growth = Pick<PortHealth['counters'][number], 'lastHour' | 'observedMs'>;

export class HourCounts {
  #before: ReadonlyMap<string, Counted> = new Map();
  #now = new Map<string, Counted>();

  /** All counters are read between two of these; the ones that are not are forgotten. */
  endLook(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }

  /** Unknown at the first reading. A counter that went back was reset, and starts again. */
  read(name: string, total: number, nowMs: number): Growth {
    const before = this.#before.get(name);
    const last = before?.points.at(-1);
    if (before === undefined || last === undefined || total < last.total) {
      this.#now.set(name, { sinceMs: nowMs, points: [{ atMs: nowMs, total }] });
      const reason = before === undefined ? 'needs two readings' : 'its counters were reset';
      return { lastHour: unknown(reason), observedMs: 0 };
    }
    const all = total === last.total ? before.points : [...before.points, { atMs: nowMs, total }];
    const from = all.findLastIndex(({ atMs }) => atMs <= nowMs - HOUR_MS);
    const points = all.slice(Math.max(0, from));
    this.#now.set(name, { sinceMs: before.sinceMs, points });
    const observedMs = Math.min(HOUR_MS, nowMs - before.sinceMs);
    return { lastHour: total - (points[0]?.total ?? total), observedMs };
  }
}

const HOUR_MS = 3_600_000;
