// Figures of a report as text. A result is compared with others, so that a time keeps three digits, unlike in a view that
// changes five times a second.

export const timeText = (ns: number): string => {
  for (const { unit, sizeNs } of UNITS) {
    // 999.5 of a smaller unit would be written with four digits.
    if (Math.abs(ns) < 0.9995 * sizeNs) continue;
    const value = ns / sizeNs;
    return `${value.toFixed(decimalsOf(Math.abs(value)))}${NO_BREAK_SPACE}${unit}`;
  }
  return `${ns.toFixed(0)}${NO_BREAK_SPACE}ns`;
};

const decimalsOf = (value: number): number => {
  if (value >= 99.95) return 0;
  return value >= 9.995 ? 1 : 2;
};

const UNITS = [
  { unit: 's', sizeNs: 1e9 },
  { unit: 'ms', sizeNs: 1e6 },
  { unit: 'µs', sizeNs: 1e3 },
] as const;
const NO_BREAK_SPACE = '\u00a0';
