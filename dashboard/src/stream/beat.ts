// When a page updates its figures. Each update is a drawing, and a drawing costs the same whether much or little has changed: so
// regular readings wait for the next beat, and only other events are drawn sooner.

import type { Event } from '../../../src/core/event.ts';
import { EVENT_KINDS } from '../../../src/core/event-kinds.ts';

/** Between two counts while nothing but readings come, ms. */
export const BEAT_MS = 1_000;
/** After news the beat waits a little longer, so that a source that reports once a second is the only beat. */
export const BEAT_AFTER_NEWS_MS = 1_250;
/** News that come sooner after the last count wait until then, ms. */
const NEWS_MS_MIN = 250;
/** With this many nodes there is always an event. */
const MANY_NODES = 32;

/** Whether an event is more than the next figure of a reading that comes every second. */
export const isNews = ({ kind }: Pick<Event, 'kind'>): boolean =>
  kind === 'unknown' || EVENT_KINDS[kind].isSteady !== true;

/** How long after a count news may be counted, ms. */
export const newsMsMin = (nodeCount: number): number => (nodeCount > MANY_NODES ? BEAT_MS : NEWS_MS_MIN);
