// The log of a daemon: lines for its operator, on standard error, where journald, launchd and containers collect
// them. It is bounded: a link that comes and goes every second must not fill a disk.

import type { Clock } from '../../clock/clock.ts';
import { LOG_LEVELS, type LogFormat, type LogLevel } from '../../config/value-kinds.ts';
import { showableJson } from '../../core/text/single-line.ts';

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

// One line of the log: key=value pairs (logfmt), or a JSON object. Names and reasons come from other machines and tools, so
// any character that could break a line or control a terminal is escaped.
type LogValue = string | number | boolean;
/** In the order in which they are written; undefined is left out. */
export type LogFields = Readonly<Record<string, LogValue | undefined>>;

interface LogRecord {
  readonly atWallMs: number;
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

/** With its line break. */
export const logLine = ({ atWallMs, level, event, fields }: LogRecord, format: LogFormat): string => {
  const pairs: [string, LogValue][] = [
    ['time', new Date(atWallMs).toISOString()],
    ['level', level],
    ['event', event],
  ];
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) pairs.push([name, typeof value === 'string' ? cut(value) : value]);
  return format === 'json'
    ? `${showableJson(JSON.stringify(Object.fromEntries(pairs)))}\n`
    : `${pairs.map(([name, value]) => `${name}=${written(value)}`).join(' ')}\n`;
};

const cut = (text: string): string =>
  text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX - 1)}…`;

const written = (value: LogValue): string => {
  const text = String(value);
  return BARE.test(text) ? text : showableJson(JSON.stringify(text));
};

/** What needs no quotes: no space, quote, equals sign or backslash. */
const BARE = /^[\w.:/@%+,[\]~#-]+$/;
export const VALUE_LENGTH_MAX = 300;

// What the log of a daemon reports, once: the level of each event and its meaning, also for docs/service.md.
export type LogEvent = keyof typeof LOG_EVENTS;

export const LOG_EVENTS = {
  start: { level: 'info', meaning: 'The journal is read, and HTTP and the mesh listen.' },
  ready: { level: 'info', meaning: 'The first readings of this machine are there: `/readyz` answers 200.' },
  stop: { level: 'info', meaning: 'The daemon stops; `reason` says why. Level `error` if a part failed.' },
  'node-joined': { level: 'info', meaning: 'A node that was not known here has appeared.' },
  'node-seen': { level: 'debug', meaning: 'A node known from the journal has appeared since the start.' },
  'node-lost': {
    level: 'warn',
    meaning: 'Nothing has arrived from a node for a while, and it did not report a stop.',
  },
  'node-stopped': { level: 'info', meaning: 'A node has reported that it stops.' },
  'node-restored': { level: 'info', meaning: 'A lost or stopped node is back.' },
  'node-forgotten': { level: 'info', meaning: 'A node was removed from the view.' },
  'link-opened': { level: 'debug', meaning: 'A path of a link of this node has appeared.' },
  'link-lost': {
    level: 'error',
    meaning: 'A path of a link of this node is lost: `reason` says why, the interfaces of both ends first.',
  },
  'link-restored': { level: 'info', meaning: 'A lost path of this node is back.' },
  'link-forgotten': { level: 'info', meaning: 'A lost path was removed from the view.' },
  'warning-raised': {
    level: 'warn',
    meaning:
      'A warning that concerns this node has appeared; `error` if it is serious, `info` for a note, `debug` for warnings of other nodes.',
  },
  'warning-cleared': { level: 'info', meaning: 'It has ended; `debug` for warnings of other nodes.' },
  'notice-raised': { level: 'warn', meaning: 'Something about this daemon that a person should act on.' },
  'notice-cleared': { level: 'info', meaning: 'It is over.' },
  'service-manager': { level: 'warn', meaning: 'systemd cannot be notified.' },
  'lines-dropped': {
    level: 'warn',
    meaning: 'Lines above the limits below were not written; `count` says how many.',
  },
} as const;

/** At most one line each in the life of a daemon: no limit holds them back. */
const UNLIMITED_EVENTS: ReadonlySet<LogEvent> = new Set(['start', 'ready', 'stop']);
