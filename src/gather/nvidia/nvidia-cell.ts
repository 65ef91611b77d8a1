// One figure as nvidia-smi prints it, in XML ("40960 MiB", "16x", "N/A") or CSV ("40960", "[N/A]").
// Text in brackets is not a figure, and neither is a bare N/A.

import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';

const BYTES_PER_MIB: number = 1024 * 1024;

/** The text of a cell, or why there is none. `undefined` is a field that this driver does not print. */
export const cellText = (text: string | undefined): Reported<string> => {
  if (text === undefined) return unknown('not reported by this driver');
  const inner = text
    .trim()
    .replace(/^\[(.*)\]$/s, '$1')
    .trim();
  if (inner === '' || /^n\/?a$/i.test(inner)) return unknown('not available on this device', 'not-offered');
  if (/^(not supported|unsupported)$/i.test(inner))
    return unknown('not supported by this device', 'not-offered');
  if (text.trim().startsWith('[') || PROBLEM.test(inner))
    return unknown(
      `the driver reports: ${inner.slice(0, 80)}`,
      /permission/i.test(inner) ? 'permission' : undefined,
    );
  return inner.slice(0, CELL_LENGTH_MAX);
};

/** A figure, without its unit. Negative values do not count. */
export const cellNumber = (text: string | undefined): Reported<number> => {
  const cell = cellText(text);
  if (isUnknown(cell)) return cell;
  const digits = /^\d{1,15}(\.\d{1,9})?(?![\d.])/.exec(cell)?.[0];
  return digits === undefined ? unknown(`not a figure: ${cell.slice(0, 40)}`) : Number(digits);
};

/** What is counted: lanes, devices, a process. */
export const cellCount = (text: string | undefined): Reported<number> => {
  const figure = cellNumber(text);
  return isUnknown(figure) || Number.isInteger(figure) ? figure : unknown(`not a whole number: ${figure}`);
};

/** In whole bytes. */
export const cellMebibytes = (text: string | undefined): Reported<number> => {
  const figure = cellNumber(text);
  if (isUnknown(figure)) return figure;
  const bytes = Math.round(figure * BYTES_PER_MIB);
  return Number.isSafeInteger(bytes) ? bytes : unknown(`not a size: ${figure} MiB`);
};

/** 0..100 to 0..1. */
export const cellShare = (text: string | undefined): Reported<number> => {
  const percent = cellNumber(text);
  if (isUnknown(percent)) return percent;
  return percent > 100 ? unknown(`not a share: ${percent} %`) : percent / 100;
};

/** True if the device reports that it has no such figure, as opposed to a read error. */
export const isNotOffered = (text: string | undefined): boolean => {
  const cell = cellText(text);
  return isUnknown(cell) && cell.code === 'not-offered';
};

/** Texts that some drivers print without brackets in XML. */
const PROBLEM =
  /^(unknown error|gpu is lost|gpu requires reset|insufficient permissions|requested functionality.*|err!?)$/i;

/** Other nodes refuse longer texts; names of devices have some 30 characters. */
const CELL_LENGTH_MAX = 200;
