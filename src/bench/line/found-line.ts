// The load line that the stages of a search result in, and the sentence about it.

import { formatThreeDigits } from '../../core/figure/figure.ts';
import type { LoadLine } from '../../core/sweep/sweep-document.ts';
import {
  type CapacityChange,
  capacityEstimate,
  missesAlone,
  type SearchedStage,
  type SearchOptions,
  trialsOf,
} from './line-search.ts';

/** Why the search ended early; undefined: it was complete, or is in progress. */
export type SearchEnd = 'budget' | 'stopped' | undefined;

export const foundLine = (
  stages: readonly SearchedStage[],
  options: SearchOptions,
  end: SearchEnd,
): LoadLine => {
  const { holds, fails, clientLimit } = trialsOf(stages, options);
  const alone = stages.filter(({ purpose }) => purpose === 'alone');
  if (holds === undefined && alone.length > 0) {
    if (alone.every(({ verdict }) => verdict === 'broken'))
      return { kind: 'unknown', reason: 'no request was answered, not even one at a time' };
    // By concurrency, one at a time is a load like any other, measured again if it is an end.
    if (
      missesAlone(alone) ||
      (options.by === 'concurrency' && alone.every(({ verdict }) => verdict === 'missed'))
    ) {
      const load = options.by === 'rate' ? capacityEstimate(alone) : 1;
      return { kind: 'none', fails: load, failsBy: 'objective' };
    }
  }
  if (holds !== undefined && fails !== undefined && clientLimit === undefined)
    return {
      kind: 'bracket',
      holds: holds.load,
      fails: fails.load,
      failsBy: fails.failsBy,
      isConfirmed: holds.held > 1 && fails.failed > 1,
    };
  if (holds !== undefined) {
    const limit = clientLimit !== undefined ? 'client' : (end ?? 'load-max');
    return { kind: 'at-least', holds: holds.load, limit };
  }
  if (fails !== undefined)
    return {
      kind: 'at-most',
      fails: fails.load,
      failsBy: fails.failsBy,
      limit: clientLimit !== undefined ? 'client' : (end ?? 'undecided'),
    };
  return { kind: 'unknown', reason: stages.length === 0 ? 'no stage has ended' : 'no load was decided' };
};

/** "carries 11.6 to 12.2 requests/s at TTFT p95 ≤ 500 ms; above that the queue grows". */
export const lineSentence = (
  line: LoadLine,
  {
    by,
    concurrencyOf,
    objectives,
    change,
  }: Pick<SearchOptions, 'by' | 'concurrencyOf'> & {
    readonly objectives: readonly string[];
    readonly change: CapacityChange | undefined;
  },
): string => {
  const unit =
    by === 'rate' ? 'requests/s' : concurrencyOf === 'sessions' ? 'sessions at a time' : 'requests in flight';
  const load = (value: number): string => (by === 'rate' ? formatThreeDigits(value) : String(value));
  const under = objectives.length === 0 ? '' : ` at ${objectives.join(' and ')}`;
  const changed =
    change === undefined
      ? ''
      : change.kind === 'less'
        ? `; it carried more at first: ${load(change.held)} ${unit} held, and later ${load(change.failed)} did not`
        : `; it carried less at first: ${load(change.failed)} ${unit} did not hold, and later ${load(change.held)} did`;
  switch (line.kind) {
    case 'unknown':
      return `nothing is known: ${line.reason}`;
    case 'bracket':
      return (
        `carries ${load(line.holds)} to ${load(line.fails)} ${unit}${under}; above that ${BEYOND[line.failsBy]}` +
        (line.isConfirmed ? '' : ' (not every end was confirmed)') +
        changed
      );
    case 'at-least':
      return `carries at least ${load(line.holds)} ${unit}${under}; ${AT_LEAST[line.limit]}${changed}`;
    case 'at-most':
      return `carries less than ${load(line.fails)} ${unit}${under}, where ${BEYOND[line.failsBy]}; ${AT_MOST[line.limit]}${changed}`;
    case 'none':
      return by === 'rate'
        ? `carries no load${under}: not even one request at a time (${load(line.fails)} ${unit}) meets it`
        : `carries no load${under}: not even one ${concurrencyOf === 'sessions' ? 'session' : 'request'} at a time meets it`;
    default:
      return line satisfies never;
  }
};

const BEYOND = {
  objective: 'an objective is missed',
  'over-capacity': 'the queue grows',
} as const;

const AT_LEAST = {
  client: 'beyond that this client was the limit',
  budget: 'the time was over before a load failed',
  stopped: 'it was stopped before a load failed',
  'load-max': 'no higher load was requested',
} as const;

const AT_MOST = {
  undecided: 'lower loads decided nothing',
  client: 'below that this client was the limit',
  budget: 'the time was over before a load held',
  stopped: 'it was stopped before a load held',
} as const;
