// Lengths of time as people write them. An age is coarse, because it is read at a glance; a measured time keeps three
// significant digits.

import type { Figure } from './figure.ts';
import { UNKNOWN_FIGURE } from './figure.ts';

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

/** A measured time: "9.0 µs", "88 µs", "2.7 ms", "184 ms", "1.84 s". */
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

const short = (value: number): string => value.toFixed(Math.abs(value) < 9.95 ? 1 : 0);

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
