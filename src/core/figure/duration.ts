// Durations as people write them. An age is coarse, because it is read at a glance, and so is a changing
// time; one that is compared with others has three significant digits: 14.9 ms and 15.4 ms per token are not
// the same speed.

import { minimumOf } from '../extremes.ts';
import {
  type Figure,
  figureText,
  formatThreeDigits,
  UNKNOWN_FIGURE,
  withoutTrailingZeros,
} from './figure.ts';

/** How old something is: "0.3 s", "41 s", "2 min", "3 h", "12 d". */
export const formatAge = (ageMs: number): Figure => {
  if (!Number.isFinite(ageMs)) return UNKNOWN_FIGURE;
  const seconds = Math.max(0, ageMs) / 1000;
  if (seconds < 0.95) return { figure: seconds.toFixed(1), unit: 's' };
  if (seconds < 59.5) return { figure: String(Math.round(seconds)), unit: 's' };
  if (seconds < 59.5 * MINUTE) return { figure: String(Math.round(seconds / MINUTE)), unit: 'min' };
  if (seconds < 47.5 * HOUR) return { figure: String(Math.round(seconds / HOUR)), unit: 'h' };
  return { figure: String(Math.round(seconds / DAY)), unit: 'd' };
};

/** How long a machine has been up: "41 days", "3 h 12 min", "48 s". */
export const formatUptime = (uptimeSeconds: number): string => {
  if (!Number.isFinite(uptimeSeconds)) return UNKNOWN_FIGURE.figure;
  const seconds = Math.max(0, Math.floor(uptimeSeconds));
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  const hours = Math.floor(seconds / HOUR);
  if (seconds < 2 * DAY) return `${hours} h ${Math.floor((seconds % HOUR) / MINUTE)} min`;
  return `${Math.floor(seconds / DAY)} days`;
};

/** "0:07", "12:30", "1:02:03". */
export const formatClock = (durationMs: number): string => {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / MINUTE);
  const rest = two(seconds % MINUTE);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
};

/** A time that is measured repeatedly: "9.0 µs", "88 µs", "2.7 ms", "184 ms", "1.84 s". */
export const formatNanoseconds = (nanoseconds: number): Figure => {
  if (!Number.isFinite(nanoseconds)) return UNKNOWN_FIGURE;
  const size = Math.abs(nanoseconds);
  if (size < 999.5) return { figure: nanoseconds.toFixed(0), unit: 'ns' };
  if (size < 999.5e3) return { figure: short(nanoseconds / 1e3), unit: 'µs' };
  if (size < 999.5e6) return { figure: short(nanoseconds / 1e6), unit: 'ms' };
  const seconds = nanoseconds / 1e9;
  if (size < 9.995e9) return { figure: seconds.toFixed(2), unit: 's' };
  return { figure: seconds.toFixed(size < 99.95e9 ? 1 : 0), unit: 's' };
};

/** A result, in three digits: "999 ns", "9.04 µs", "14.9 ms", "1.84 s". */
export const formatMeasuredNanoseconds = (nanoseconds: number): Figure => {
  if (!Number.isFinite(nanoseconds)) return UNKNOWN_FIGURE;
  const size = Math.abs(nanoseconds);
  if (size < 999.5) return { figure: nanoseconds.toFixed(0), unit: 'ns' };
  const [divisor, unit] = size < 999.5e3 ? [1e3, 'µs'] : size < 999.5e6 ? [1e6, 'ms'] : [1e9, 's'];
  return { figure: formatThreeDigits(nanoseconds / divisor), unit };
};

export const measuredTimeText = (nanoseconds: number): string =>
  figureText(formatMeasuredNanoseconds(nanoseconds));

/** The same for an axis: "0", "2.5 ms". */
export const formatNanosecondsTick = (nanoseconds: number): string =>
  nanoseconds === 0 ? '0' : figureText(withoutTrailingZeros(formatMeasuredNanoseconds(nanoseconds)));

/**
 * A moment: "12 October 2026, 14:02 UTC", the same wherever it is written. Text that is not a time is
 * returned unchanged.
 */
export const formatMoment = (iso: string): string => {
  const [, year, month, day, clock] = MOMENT.exec(iso) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? iso : `${Number(day)} ${name} ${year}, ${clock} UTC`;
};

/** For the ticks of one axis, ascending: with enough digits to distinguish them. */
export const nanosecondsTicks = (ticks: readonly number[]): readonly string[] => {
  const steps = ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0));
  const step = minimumOf(steps);
  const greatest = ticks.at(-1) ?? 0;
  // Three digits round by at most half a per cent of a tick, which must be small against its step.
  const areApart = steps.every((each, index) => 0.005 * (ticks[index + 1] ?? 0) <= each / 4);
  if (areApart || !(step > 0)) return ticks.map(formatNanosecondsTick);
  const [divisor, unit] = greatest < 999.5e3 ? [1e3, 'µs'] : greatest < 999.5e6 ? [1e6, 'ms'] : [1e9, 's'];
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / divisor) - 1e-9)));
  return ticks.map(tick => figureText({ figure: (tick / divisor).toFixed(decimals), unit }));
};

const short = (value: number): string => value.toFixed(Math.abs(value) < 9.95 ? 1 : 0);

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
/** ISO 8601 in UTC, as JavaScript writes it. */
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/;
const MONTHS: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
