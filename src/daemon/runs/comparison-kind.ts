// Comparisons by pairs as stored documents. Their segments are runs, which are documents of their own.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { STORED_COMPARISONS } from '../../core/comparison/comparison-selectors.ts';
import {
  type ComparisonEnd,
  type ComparisonStart,
  comparisonEnd,
  comparisonEndSchema,
  comparisonStartSchema,
  findingsOfComparison,
  type ReportedComparison,
  type ReportedPairs,
  reportedPairsSchema,
} from '../../core/comparison/reported-comparison.ts';
import { DOCUMENT_KINDS } from '../../core/document/document-kinds.ts';
import { LEASE_MS } from '../../core/document/document-views.ts';
import { EVENT_KINDS, type Fact } from '../../core/event-kinds.ts';
import { type ComparisonId, isComparisonId } from '../../core/ids.ts';
import { comparisonIdSchema } from '../../core/schema.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import { COMPARISON_FILES } from '../../metrics/stored-file.ts';
import { ABANDONED_MS, type DocumentKind, type DocumentTypes, LOST } from './document-kind.ts';
import { plainTarget, type TargetSources, targetNodeOf } from './target-node.ts';

export interface ComparisonTypes extends DocumentTypes {
  readonly id: ComparisonId;
  readonly begun: ComparisonStart;
  readonly update: ReportedPairs;
  readonly ended: ComparisonEnd;
  readonly stored: ReportedComparison;
  readonly live: undefined;
  readonly file: ComparisonDocument;
}

export const COMPARISON_DOCUMENT: DocumentKind<ComparisonTypes> = {
  ...STORED_COMPARISONS,
  ...DOCUMENT_KINDS.comparison,
  idMeaning: 'The id of a comparison.',
  idSchema: comparisonIdSchema,
  isId: isComparisonId,
  idOf: ({ comparisonId }) => comparisonId,
  noSuch: () => ({
    problem: 'No comparison of that id is known here, and the home has none that can be read.',
    advice: 'GET /api/comparisons lists them.',
  }),
  startBody: comparisonStartSchema,
  updateBody: reportedPairsSchema,
  endBody: comparisonEndSchema,
  summaries: {
    start: 'A comparison by pairs starts on this machine; its segments are reported as runs.',
    progress: `What is known so far; due every 2 s, and the comparison counts as interrupted after ${LEASE_MS / 1_000} s.`,
    end: 'A comparison has ended: its state, its answer and the sentence about it.',
    stop: 'Requests that a comparison on this machine stop now and keep the pairs that are done, as Ctrl-C does. Its process receives the request with the reply to its next update.',
  },
  files: COMPARISON_FILES,
  fileId: ({ id }) => id,
  storedLimit: EVENT_KINDS['comparison.started'].entriesMax,
  liveLimit: EVENT_KINDS['pairs.reported'].entriesMax,
  begin: begun => ({ ...begun, state: 'running', reason: '' }),
  open: () => undefined,
  isReopened: false,
  started: payload => ({ kind: 'comparison.started', payload }),
  ended: payload => ({ kind: 'comparison.ended', payload }),
  leases: (document, parts) => leases(document, parts),
  reported: ({ document }, payload, parts) => [
    ...leases(document, parts),
    { kind: 'pairs.reported', payload },
  ],
  end: ({ document }, ended) => ({ ...document, ...ended }),
  settledAfterMs: ABANDONED_MS,
  settle: (document, { file, parts: { state, nodeId } }) => {
    if (file !== undefined) return { ...document, ...findingsOfComparison(file), ...comparisonEnd(file) };
    const last = state().comparisonProgress[nodeId]?.[document.comparisonId]?.value ?? document;
    const { sentence, verdict, pairsDone } = last;
    return { ...document, sentence, verdict, pairsDone, ...LOST };
  },
};

/** The segments have leases of their own; these hold while one drains, rests, or its server is started. */
const leases = ({ comparisonId, a, b }: ReportedComparison, parts: TargetSources): readonly Fact[] =>
  Object.entries({ A: a, B: b }).map(([letter, { target }]) => ({
    kind: 'runner.reported',
    payload: {
      runnerKey: `comparison ${comparisonId} ${letter}`,
      source: 'run',
      targetNode: isUnknown(target) ? target : targetNodeOf(plainTarget(target), parts),
      requestsInFlight: unknown('see its segments'),
    },
  }));
