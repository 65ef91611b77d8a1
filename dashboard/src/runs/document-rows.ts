// Stored documents of the cluster as rows of one list: what `plimsoll runs` lists, and the marks that their pages have. A kind is
// one row of ROWS.

import { comparisonViews } from '../../../src/core/comparison/comparison-selectors.ts';
import { DOCUMENT_TYPES, type DocumentType } from '../../../src/core/document/document-kinds.ts';
import { type PlainView, plainViews } from '../../../src/core/document/plain-views.ts';
import { counted, formatCount } from '../../../src/core/figure/figure.ts';
import { failureHeadline, failureHeadlineText } from '../../../src/core/run/failure-text.ts';
import type { RunFigures } from '../../../src/core/run/run.ts';
import { isReportedAsStage, type RunView, runViews } from '../../../src/core/run/run-selectors.ts';
import { headlineSeries } from '../../../src/core/run/run-series.ts';
import { loadLabel } from '../../../src/core/run/run-shape.ts';
import type { State } from '../../../src/core/state.ts';
import { hasEnoughFor } from '../../../src/core/statistics/early-stopping.ts';
import { sweepViews } from '../../../src/core/sweep/sweep-selectors.ts';
import { isKnown, knownOr, type Reported } from '../../../src/core/unknown.ts';
import { type ListedDocument, runResult } from '../../../src/render/document/listed-document.ts';
import { type VerdictLabel, verdictLabel } from '../../../src/render/run/verdict-text.ts';
import { resultText, sweepStateText } from '../line/sweep-labels.ts';
import {
  documentState,
  limitText,
  modelLabel,
  nameText,
  nsText,
  percentileNs,
  type StateText,
  shownFigures,
  stateText,
  targetLabel,
} from '../run/run-labels.ts';

export interface DocumentRow extends ListedDocument {
  readonly type: DocumentType;
  readonly shown: StateText;
  /** Why it is in that state; '' if there is no reason to show. */
  readonly reason: string;
  readonly isLive: boolean;
  /** Its page warns of it: it was cut off or failed, its client was the limit, or it missed an objective. */
  readonly isFlagged: boolean;
  /** Below the state: "1 objective missed", "client-bound". */
  readonly remarks: readonly string[];
  /** Below the result: "TTFT p50 184 ms, p99 612 ms". */
  readonly detail: string;
  /** What the column of results is sorted by; undefined where there is none. */
  readonly figure: number | undefined;
  /** What a search finds in addition to what the row shows. */
  readonly hidden: readonly string[];
  /** Undefined for what cannot be compared with others in the list. */
  readonly run: RunView | undefined;
}

/** Runs of stages and segments are on the page of their sweep or comparison, as long as that is known. */
export const documentRows = (cluster: State, nowMs: number): readonly DocumentRow[] =>
  DOCUMENT_TYPES.flatMap(type => ROWS[type](cluster, nowMs));

type RowsOf = (cluster: State, nowMs: number) => readonly DocumentRow[];

const ROWS: { readonly [T in DocumentType]: RowsOf } = {
  run: (cluster, nowMs) =>
    runViews(cluster, nowMs)
      .filter(({ run }) => !isReportedAsStage(cluster, run))
      .map(view => runRow(cluster, view)),
  sweep: (cluster, nowMs) =>
    sweepViews(cluster, nowMs).map(view => {
      const { sweep, stages, reason, isLive, state, line } = view;
      const shown = sweepStateText(view);
      return {
        ...NO_MARKS,
        type: 'sweep',
        kind: sweep.form,
        id: sweep.sweepId,
        state,
        shown,
        reason,
        isLive,
        isFlagged: shown.tone === 'cut',
        startedAt: sweep.startedAt,
        names: [...named(sweep.name), ...sweep.tags],
        model: modelLabel(sweep),
        target: targetLabel(cluster, sweep),
        load: [counted(stages.length, 'stage'), ...sweep.objectives].join(', '),
        result: resultText(view),
        figure: 'holds' in line ? line.holds : undefined,
        hidden: [sweep.target],
      };
    }),
  comparison: (cluster, nowMs) =>
    comparisonViews(cluster, nowMs).map(({ reported, sentence, state, reason, isLive, pairsDone }) => ({
      ...comparisonRow({ ...reported, id: reported.comparisonId, sentence, state }, isLive),
      reason,
      names: [...named(reported.name), ...reported.tags],
      model: knownOr(reported.b.model, knownOr(reported.a.model, '')),
      target: `${reported.b.label} against ${reported.a.label}`,
      load: reported.load,
      detail: isLive ? `so far, after ${counted(pairsDone, 'pair')}` : '',
    })),
  document: (cluster, nowMs) => plainViews(cluster, nowMs).map(plainRow),
};

/** Of a node that made one of a later version's forms, this is all that is known. */
const plainRow = ({ document, state, reason, isLive }: PlainView): DocumentRow => {
  const { form, name, target, load, result, startedAt } = document;
  const shown = documentState(state, isLive);
  return {
    ...NO_MARKS,
    type: 'document',
    kind: form,
    id: document.documentId,
    state,
    shown,
    reason,
    isLive,
    isFlagged: shown.tone === 'cut',
    startedAt,
    names: named(name),
    model: '',
    target,
    load,
    result,
  };
};

interface KeptComparison {
  readonly id: string;
  readonly name: Reported<string>;
  readonly startedAt: string;
  readonly state: string;
  readonly sentence: string;
}

/** Of one that is only in the home of the daemon, this is all that is known in a list. */
export const comparisonRow = (
  { id, name, startedAt, state, sentence }: KeptComparison,
  isLive = false,
): DocumentRow => {
  const shown = documentState(state, isLive);
  return {
    ...NO_MARKS,
    type: 'comparison',
    kind: 'comparison',
    id,
    state,
    shown,
    isLive,
    isFlagged: shown.tone === 'cut',
    startedAt,
    names: named(name),
    model: '',
    target: '',
    load: '',
    result: sentence,
  };
};

export const runRow = (cluster: State, view: RunView): DocumentRow => {
  const { run, state, reason, isLive } = view;
  const figures = shownFigures(view);
  const limits = limitText(run);
  const shown = stateText(view);
  const verdict =
    figures === undefined
      ? undefined
      : (failedText(figures) ?? verdictLabel(figures.client, view.state, figures.series));
  const missed = missedText(figures);
  return {
    type: 'run',
    kind: 'run',
    id: run.runId,
    state,
    shown,
    reason,
    isLive,
    isFlagged:
      shown.tone === 'cut' || shown.tone === 'broken' || verdict?.tone === 'caution' || missed !== '',
    startedAt: run.startedAt,
    names: nameText(run),
    model: modelLabel(run),
    target: targetLabel(cluster, run),
    load: `${loadLabel(run)}${limits === '' ? '' : `, ${limits}`}`,
    result: figures === undefined ? '' : runResult(figures),
    detail: figures === undefined ? '' : detailOf(view, figures),
    remarks: [...(verdict?.tone === 'caution' ? [verdict.short] : []), ...(missed === '' ? [] : [missed])],
    figure: figures === undefined ? undefined : knownOr(figures.outputTokensPerSecond, undefined),
    hidden: [run.target],
    run: view,
  };
};

/** "TTFT p50 184 ms, p99 612 ms, 3 failed"; of a run that does not stream the latency. */
const detailOf = ({ run }: RunView, figures: RunFigures): string => {
  const { series, counts } = figures;
  const key = headlineSeries(run);
  const shown = hasEnoughFor(99, series[key]?.count ?? 0) ? ['50', '99'] : ['50'];
  const times = shown.flatMap(percentile => {
    const ns = percentileNs(figures, key, percentile);
    return ns === undefined ? [] : [`p${percentile} ${nsText(ns)}`];
  });
  return [
    ...(times.length === 0 ? [] : [`${run.isStreaming ? 'TTFT' : 'latency'} ${times.join(', ')}`]),
    ...(counts.failed > 0 ? [`${formatCount(counts.failed)} failed`] : []),
  ].join(', ');
};

/** Of a run whose figures do not mean what they are called, before whether its client kept up. */
const failedText = (figures: RunFigures): VerdictLabel | undefined => {
  const failed = failureHeadline(figures);
  if (failed?.isGrave !== true) return undefined;
  return { tone: 'caution', label: failureHeadlineText(failed), short: failed.short, remark: '' };
};

const missedText = (figures: RunFigures | undefined): string => {
  const count = (figures === undefined ? [] : knownOr(figures.objectives, [])).filter(
    ({ answer }) => answer === 'missed',
  ).length;
  return count === 0 ? '' : `${counted(count, 'objective')} missed`;
};

const named = (name: Reported<string>): readonly string[] => (isKnown(name) && name !== '' ? [name] : []);

const NO_MARKS = { reason: '', remarks: [], detail: '', figure: undefined, hidden: [], run: undefined };
