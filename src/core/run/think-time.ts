// How long a user of a chat thinks before the next turn: the written form, and draws of it.

import * as v from 'valibot';
import { type Parsed, parseDurationMs, parsed, wrong } from '../figure/parse-figure.ts';
import type { SeededRandom } from '../random.ts';
import { figure, type Infer, openObject, type Schema } from '../schema.ts';

export const THINK_MS_MAX: number = 86_400_000;

const thinkMs: Schema<number> = v.pipe(figure, v.minValue(0), v.maxValue(THINK_MS_MAX));

export const thinkTimeSchema = v.variant('kind', [
  openObject({ kind: v.literal('fixed'), ms: thinkMs }),
  openObject({ kind: v.literal('uniform'), minMs: thinkMs, maxMs: thinkMs }),
  openObject({ kind: v.literal('exponential'), meanMs: thinkMs }),
]);

export type ThinkTime = Infer<typeof thinkTimeSchema>;

/** "2s", "1s..5s", "exponential(2s)". */
export const parseThinkTime = (text: string): Parsed<ThinkTime> => {
  const [, mean] = /^exponential\s*\(([^()]*)\)$/i.exec(text.trim()) ?? [];
  if (mean !== undefined) {
    const time = timeOf(mean);
    return time.kind === 'wrong' ? time : parsed({ kind: 'exponential', meanMs: time.value });
  }
  const [from = '', to, ...more] = text.split('..');
  if (more.length > 0) return NOT_A_TIME(text);
  const [min, max] = [timeOf(from), timeOf(to ?? from)];
  if (min.kind === 'wrong') return min;
  if (max.kind === 'wrong') return max;
  if (to === undefined) return parsed({ kind: 'fixed', ms: min.value });
  return min.value <= max.value
    ? parsed({ kind: 'uniform', minMs: min.value, maxMs: max.value })
    : wrong(`${text} ends before it begins`, `Did you mean ${to}..${from}?`);
};

const timeOf = (text: string): Parsed<number> => {
  if (text.trim() === '0') return parsed(0);
  const time = parseDurationMs(text);
  if (time.kind === 'wrong') return NOT_A_TIME(text);
  return time.value <= THINK_MS_MAX
    ? time
    : wrong(`${text} is longer than a day`, 'Use a shorter time: a run waits for it.');
};

const NOT_A_TIME = (text: string): Parsed<never> =>
  wrong(
    `${JSON.stringify(text.slice(0, 40))} is not a time`,
    'Write 2s, a range such as 1s..5s, or exponential(2s).',
  );

export const thinkTimeText = (time: ThinkTime): string => {
  switch (time.kind) {
    case 'fixed':
      return msText(time.ms);
    case 'uniform':
      return `${msText(time.minMs)}..${msText(time.maxMs)}`;
    case 'exponential':
      return `exponential(${msText(time.meanMs)})`;
    default:
      return time satisfies never;
  }
};

/** ms, one after the other. An exponential time is limited to a day. */
export const thinkTimes = (time: ThinkTime, random: SeededRandom): (() => number) => {
  switch (time.kind) {
    case 'fixed':
      return () => time.ms;
    case 'uniform':
      return () => time.minMs + random.next() * (time.maxMs - time.minMs);
    case 'exponential':
      return () => Math.min(THINK_MS_MAX, -Math.log1p(-random.next()) * time.meanMs);
    default:
      return time satisfies never;
  }
};

const msText = (ms: number): string => (ms >= 1_000 && ms % 100 === 0 ? `${ms / 1_000}s` : `${ms}ms`);
