// The log of a daemon: lines for its operator, on standard error, where journald, launchd and containers collect
// them. It is bounded: a link that comes and goes every second must not fill a disk.

import type { Clock } from '../../clock/clock.ts';
import { LOG_LEVELS, type LogFormat, type LogLevel } from '../../config/log-values.ts';
import { LOG_EVENTS, type LogEvent, UNLIMITED_EVENTS } from './log-events.ts';
import { type LogFields, logLine } from './log-line.ts';

interface DaemonLogParts {
  readonly clock: Clock;
  readonly write: (line: string) => void;
  /** Read for each line: config.toml may change. */
  readonly settings: () => { readonly level: LogLevel; readonly format: LogFormat };
}

interface LogOptions {
  /** Default: the level of the event. */
  readonly level?: LogLevel;
  /** Lines of one event about one subject have a limit of their own. Default: none. */
  readonly subject?: string;
}

export class DaemonLog {
  readonly #parts: DaemonLogParts;
  readonly #subjects = new Map<string, Allowance>();
  readonly #all: Allowance;
  #dropped = 0;

  constructor(parts: DaemonLogParts) {
    this.#parts = parts;
    this.#all = new Allowance(LINES_PER_HOUR_MAX);
  }

  write(
    event: LogEvent,
    fields: LogFields,
    { level = LOG_EVENTS[event].level, subject }: LogOptions = {},
  ): void {
    const { settings } = this.#parts;
    const { level: least, format } = settings();
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    if (!UNLIMITED_EVENTS.has(event) && !this.#mayWrite(`${event} ${subject ?? ''}`)) {
      this.#dropped += 1;
      return;
    }
    this.#put(event, level, fields, format);
  }

  /** How many lines were not written since the last report; for a tick of minutes. */
  reportDropped(): void {
    if (this.#dropped === 0) return;
    const { format } = this.#parts.settings();
    this.#put('lines-dropped', LOG_EVENTS['lines-dropped'].level, { count: this.#dropped }, format);
    this.#dropped = 0;
  }

  #put(event: LogEvent, level: LogLevel, fields: LogFields, format: LogFormat): void {
    const { clock, write } = this.#parts;
    write(logLine({ atWallMs: clock.wallMs(), level, event, fields }, format));
  }

  #mayWrite(subject: string): boolean {
    const nowMs = this.#parts.clock.nowMs();
    const own = this.#subjects.get(subject) ?? new Allowance(SUBJECT_LINES_PER_HOUR_MAX);
    this.#subjects.delete(subject);
    this.#subjects.set(subject, own);
    const oldest = this.#subjects.keys().next().value;
    if (this.#subjects.size > SUBJECTS_MAX && oldest !== undefined) this.#subjects.delete(oldest);
    return own.has(nowMs) && this.#all.has(nowMs) && own.take() && this.#all.take();
  }
}

/** So many at once, and as many in each hour. */
class Allowance {
  readonly #perHour: number;
  #left: number;
  #atMs = Number.NEGATIVE_INFINITY;

  constructor(perHour: number) {
    this.#perHour = perHour;
    this.#left = perHour;
  }

  has(nowMs: number): boolean {
    const passedMs = nowMs - this.#atMs;
    this.#atMs = nowMs;
    this.#left = Math.min(this.#perHour, this.#left + (passedMs / HOUR_MS) * this.#perHour);
    return this.#left >= 1;
  }

  take(): true {
    this.#left -= 1;
    return true;
  }
}

/** Of one event about one link, node or warning. */
export const SUBJECT_LINES_PER_HOUR_MAX = 6;
/** Some hundred bytes each: below 5 MB a day, 15 MB with the longest lines. */
export const LINES_PER_HOUR_MAX = 600;
const SUBJECTS_MAX = 2_048;
const HOUR_MS = 3_600_000;
