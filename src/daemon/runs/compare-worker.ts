// Compares two finished runs of this machine in a thread of its own: it reads every request of both and resamples their blocks,
// which takes a second or more and must not block the daemon.

import { parentPort, workerData } from 'node:worker_threads';
import { compareFinished, type FinishedOptions } from '../../core/comparison/compare-finished.ts';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { errorMessage } from '../../core/problem.ts';
import { finishedSide } from '../../metrics/finished-side.ts';
import { RunDirectoryError } from '../../metrics/report-sources.ts';

export interface CompareWork {
  readonly a: string;
  readonly b: string;
  readonly options: FinishedOptions;
}

export type CompareWorkResult =
  | { readonly kind: 'compared'; readonly document: ComparisonDocument }
  | { readonly kind: 'refused'; readonly reason: string };

const compare = async ({ a, b, options }: CompareWork): Promise<CompareWorkResult> => {
  try {
    const [sideA, sideB] = [await finishedSide([a]), await finishedSide([b])];
    return { kind: 'compared', document: compareFinished(sideA, sideB, options) };
  } catch (error) {
    if (!(error instanceof RunDirectoryError)) throw error;
    return { kind: 'refused', reason: errorMessage(error) };
  }
};

const work: CompareWork = workerData;
parentPort?.postMessage(await compare(work));
