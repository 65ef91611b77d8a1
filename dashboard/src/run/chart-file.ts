// A chart as a file: the same picture that a report draws, in light colours and with its style inside, so that it can go into
// a paper or a slide. The file is made in the page; nothing is asked of the daemon.

import { standaloneLook } from '../../../src/render/chart/chart-look.ts';
import type { ChartOptions } from '../../../src/render/chart/run-charts.ts';
import type { Markup } from '../../../src/render/text/markup.ts';

export interface SavedChart {
  /** What it is of: "run-20261012-1". */
  readonly of: string;
  /** undefined where there is nothing to draw. */
  readonly draw: (options: ChartOptions) => Markup | undefined;
}

/** "plimsoll-run-20261012-1-time-to-first-token.svg": nothing in it that a file system or a shell minds. */
export const chartFileName = (of: string, title: string): string =>
  `plimsoll-${[of, title].map(nameable).join('-')}.svg`;

/** The text of the file; '' where there is nothing to draw. */
export const chartFile = ({ draw }: SavedChart, title: string): string =>
  draw({ ...FILE_SIZE, name: title, style: standaloneLook() })?.markup ?? '';

const nameable = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, PART_LENGTH_MAX);

const PART_LENGTH_MAX = 80;
const FILE_SIZE = { width: 748, height: 236 } as const;
