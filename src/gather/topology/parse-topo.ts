// `nvidia-smi topo -m`: a matrix of GPUs and adapters, in the order of nvidia-smi. Only the links between GPUs are read here:
// what is between others is in sysfs, for GPUs of every vendor.

import { type Reported, unknown } from '../../core/unknown.ts';

interface TopoBond {
  /** Indices of nvidia-smi, the lower one first. */
  readonly from: number;
  readonly to: number;
  readonly links: number;
}

/** Pairs that are joined by NVLink; unknown for an output of another form. */
export const parseTopo = (text: string): Reported<readonly TopoBond[]> => {
  const [head, ...rows] = text.replace(ESCAPES, '').split('\n', LINES_MAX);
  const columns = (head ?? '').split('\t').map(cell => cell.trim());
  if (!columns.includes('GPU0')) return unknown('nvidia-smi topo -m printed no matrix');
  return rows.flatMap(row => {
    const [name = '', ...cells] = row.split('\t').map(cell => cell.trim());
    const from = indexOf(name);
    if (from === undefined) return [];
    // The first column is that of the names, empty in the heading.
    return cells.flatMap((cell, at): readonly TopoBond[] => {
      const to = indexOf(columns[at + 1] ?? '');
      const links = /^NV(\d{1,3})$/.exec(cell)?.[1];
      return to === undefined || links === undefined || to <= from
        ? []
        : [{ from, to, links: Number(links) }];
    });
  });
};

const indexOf = (name: string): number | undefined => {
  const index = /^GPU(\d{1,3})$/.exec(name)?.[1];
  return index === undefined ? undefined : Number(index);
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the heading is underlined although the output is no terminal
const ESCAPES = /\u001b\[[0-9;]*m/g;
const LINES_MAX = 256;
