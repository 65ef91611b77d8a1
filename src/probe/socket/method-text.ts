// How a profile came about, in one line: numbers of different methods cannot be compared.

import { formatBytes } from '../../core/figure/figure.ts';
import type { RunResult } from './source-session.ts';
import { ROUND_TRIP_BYTES } from './stream.ts';

export interface MethodParts {
  readonly roundTrips: number;
  readonly upload: RunResult | undefined;
  readonly download: RunResult | undefined;
  /** What made it less exact than it could be. */
  readonly weaknesses: readonly (string | undefined)[];
}

export const methodText = ({ roundTrips, upload, download, weaknesses }: MethodParts): string =>
  [
    `TCP payload, timed by the receiver after slow start: up ${runText(upload)}, down ${runText(download)}`,
    `${roundTrips} round trips of ${ROUND_TRIP_BYTES} bytes on a warm connection`,
    ...weaknesses.flatMap(weakness => weakness ?? []),
  ].join('; ');

/** "0.45 s, 512 MB, 1 stream" */
const runText = (run: RunResult | undefined): string => {
  if (run === undefined) return 'not measured';
  const streams = `${run.streams} ${run.streams === 1 ? 'stream' : 'streams'}`;
  const { figure, unit } = formatBytes(run.bytes);
  return `${(run.elapsedMs / 1_000).toFixed(2)} s, ${figure} ${unit}, ${streams}`;
};
