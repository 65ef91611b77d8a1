// The input and result of a check of a run's counts, for those of samples (find-contamination.ts) and those
// of the server and the machine (server-contamination.ts).

import type { Reported } from '../unknown.ts';
import type { ContaminationCode, ContaminationFinding, SpoiledFigure } from './contamination.ts';
import type { SampleEvidence } from './contamination-tally.ts';
import type { MachineDuringRun, ReportRun, ReportSeries } from './report.ts';
import type { SeriesKey } from './run-series.ts';
import type { ServerEvidence } from './server-tally.ts';
import type { TokenDoubt } from './token-doubts.ts';

export interface ContaminationSources {
  readonly run: Pick<ReportRun, 'hasNonce' | 'model' | 'requests' | 'shape' | 'stamps' | 'streaming'>;
  readonly samples: SampleEvidence;
  readonly server: Reported<ServerEvidence>;
  /** Unknown while it runs, and for load from many machines. */
  readonly machine: Reported<MachineDuringRun>;
  /** Measured requests that were sent, with any outcome. Unknown while more are being sent. */
  readonly sent: Reported<number>;
  /** Completed ones that ended by themselves, before their limit. */
  readonly stopped: number;
  /** Completed ones with token counts that cannot be true. */
  readonly doubts: Readonly<Record<TokenDoubt, number>>;
  /** Answers are also counted with a tokenizer that the person provided. */
  readonly hasTokenizer: boolean;
  readonly series: Readonly<Partial<Record<SeriesKey, Pick<ReportSeries, 'min' | 'histogram'>>>>;
  /** It sends the start of a prompt twice on purpose, and reports cache hits itself. */
  readonly isDepthProfile: boolean;
}

export type ContaminationCheck = (sources: ContaminationSources) => ContaminationFinding | undefined;

export const finding = (
  code: ContaminationCode,
  spoils: readonly SpoiledFigure[],
  reported: Omit<ContaminationFinding, 'code' | 'spoils'>,
): ContaminationFinding => ({ code, spoils, ...reported });

export const ofRequests = (
  count: number,
  of: number,
): Pick<ContaminationFinding, 'count' | 'of' | 'unit'> => ({
  count,
  of,
  unit: 'requests',
});

export const partText = (count: number, of: number): string => {
  const percent = (100 * count) / Math.max(1, of);
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
};
