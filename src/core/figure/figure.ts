// Numbers as people write them, the same in the browser and in a terminal: three significant digits, bits for links,
// bytes for memory, 1 GB = 10⁹ bytes. A figure and its unit are two parts, so that a view can set them apart.

export interface Figure {
  /** "74.8", "1.33", "318 of 512"; "–" if unknown. */
  readonly figure: string;
  /** "Gb/s"; '' if there is none. */
  readonly unit: string;
}

/** Shown for an unknown value; its reason belongs next to it. */
export const UNKNOWN_FIGURE: Figure = { figure: '–', unit: '' };

/**
 * Figure and unit in one text without a line break between them; a narrow space before %, as in
 * visual/README.md "Figures".
 */
export const figureText = ({ figure, unit }: Figure): string => {
  if (unit === '') return figure;
  return `${figure}${unit === '%' ? NARROW_SPACE : NO_BREAK_SPACE}${unit}`;
};

export const formatBytes = (bytes: number): Figure => scaled(bytes, BYTE_UNITS);
export const formatBytesPerSecond = (bytesPerSecond: number): Figure =>
  scaled(bytesPerSecond, BYTE_RATE_UNITS);
export const formatBitsPerSecond = (bitsPerSecond: number): Figure => scaled(bitsPerSecond, BIT_RATE_UNITS);
export const formatFlopsPerSecond = (flopsPerSecond: number): Figure => scaled(flopsPerSecond, FLOPS_UNITS);
/** For integers: "1.32 POPS". */
export const formatOperationsPerSecond = (operationsPerSecond: number): Figure =>
  scaled(operationsPerSecond, OPERATION_UNITS);

/** A nominal rate, not a measured one: "10 Gb/s", "2.5 Gb/s", without meaningless digits. */
export const formatNominalBitsPerSecond = (bitsPerSecond: number): Figure =>
  withoutTrailingZeros(formatBitsPerSecond(bitsPerSecond));

/** A capacity: "24 GB", "1.5 TB". */
export const formatCapacityBytes = (bytes: number): Figure => withoutTrailingZeros(formatBytes(bytes));

/**
 * Part of a capacity in the capacity's unit: "19.9 of 24 GB". The part keeps its decimals, so that its width
 * does not change.
 */
export const formatBytesOf = (partBytes: number, totalBytes: number): Figure => {
  if (!Number.isFinite(partBytes) || !Number.isFinite(totalBytes)) return UNKNOWN_FIGURE;
  const total = formatCapacityBytes(totalBytes);
  const exponent = BYTE_UNITS.indexOf(total.unit);
  const divisor = 1000 ** Math.max(0, exponent);
  const decimals = exponent <= 0 ? 0 : decimalsOf(totalBytes / divisor);
  return { figure: `${grouped(partBytes / divisor, decimals)} of ${total.figure}`, unit: total.unit };
};

/** A share of 1 as whole per cent. */
export const formatPercent = (share: number): Figure => fixed(share * 100, 0, '%');

/** With one decimal under ten per cent, for shares that matter while they are small: "0.3 %". */
export const formatFinePercent = (share: number): Figure =>
  fixed(share * 100, Math.abs(share * 100) < 9.95 ? 1 : 0, '%');

export const formatWatts = (watts: number): Figure => {
  if (Math.abs(watts) >= 999.5) return scaled(watts / 1000, ['kW', 'MW']);
  return fixed(watts, Math.abs(watts) < 9.95 ? 1 : 0, 'W');
};

export const formatCelsius = (celsius: number): Figure => fixed(celsius, 0, '°C');

export const formatMegahertz = (megahertz: number): Figure =>
  Math.abs(megahertz) < 999.5 ? fixed(megahertz, 0, 'MHz') : scaled(megahertz / 1000, ['GHz', 'THz']);

/** A count: "24 576", thousands separated by a no-break space. */
export const formatCount = (count: number): string =>
  Number.isFinite(count) ? grouped(count, 0) : UNKNOWN_FIGURE.figure;

/** "1 session", "2 sessions", "2 batches": every text with a count and its noun uses this. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${ofCount(count, one, many)}`;

/** The word that goes with a count: `is` with one thing, `are` with any other number. */
export const ofCount = (count: number, one: string, many: string): string => (count === 1 ? one : many);

/** Three significant digits, two decimals at most: "0.42", "8.42", "34.2", "1 846". */
export const formatThreeDigits = (value: number): string =>
  Number.isFinite(value) ? grouped(value, decimalsOf(value)) : UNKNOWN_FIGURE.figure;

/** The same for an axis or a large display, without meaningless digits: "0", "2.5", "40". */
export const formatTick = (value: number): string =>
  withoutTrailingZeros({ figure: formatThreeDigits(value), unit: '' }).figure;

export const withoutTrailingZeros = ({ figure, unit }: Figure): Figure => ({
  figure: figure.includes('.') ? figure.replace(/\.?0+$/, '') : figure,
  unit,
});

const scaled = (value: number, units: readonly string[]): Figure => {
  if (!Number.isFinite(value)) return UNKNOWN_FIGURE;
  let figure = value;
  let exponent = 0;
  // 999.5 and more would be written with four digits.
  while (Math.abs(figure) >= 999.5 && exponent < units.length - 1) {
    figure /= 1000;
    exponent += 1;
  }
  const isWhole = exponent === 0 && Number.isInteger(figure);
  return { figure: grouped(figure, isWhole ? 0 : decimalsOf(figure)), unit: units[exponent] ?? '' };
};

const fixed = (value: number, decimals: number, unit: string): Figure =>
  Number.isFinite(value) ? { figure: grouped(value, decimals), unit } : UNKNOWN_FIGURE;

/** How many decimals make three significant digits, after rounding: 9.996 is 10.0. */
const decimalsOf = (value: number): number => {
  const size = Math.abs(value);
  if (size >= 99.95) return 0;
  return size >= 9.995 ? 1 : 2;
};

const grouped = (value: number, decimals: number): string => {
  const text = value.toFixed(decimals);
  const [whole = '', fraction] = (Number(text) === 0 ? text.replace('-', '') : text).split('.');
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, NO_BREAK_SPACE);
  return fraction === undefined ? parted : `${parted}.${fraction}`;
};

const NO_BREAK_SPACE = '\u00a0';
const NARROW_SPACE = '\u202f';
const BYTE_UNITS: readonly string[] = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
const BYTE_RATE_UNITS: readonly string[] = BYTE_UNITS.map(unit => `${unit}/s`);
const BIT_RATE_UNITS: readonly string[] = ['b/s', 'kb/s', 'Mb/s', 'Gb/s', 'Tb/s', 'Pb/s'];
const FLOPS_UNITS: readonly string[] = ['FLOPS', 'kFLOPS', 'MFLOPS', 'GFLOPS', 'TFLOPS', 'PFLOPS', 'EFLOPS'];
const OPERATION_UNITS: readonly string[] = ['OPS', 'kOPS', 'MOPS', 'GOPS', 'TOPS', 'POPS', 'EOPS'];

/** 1,400 of 1,316: to two significant digits, upwards. */
export const twoDigitsUp = (count: number): number => {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1);
  return Math.ceil(count / step) * step;
};
