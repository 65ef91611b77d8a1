// Sweeps and searches as stored documents. Their stages are runs, which are documents of their own; between two stages the
// sweep itself keeps probes away from its target.

import { join } from 'node:path';
import { DOCUMENT_KINDS } from '../../core/document/document-kinds.ts';
import { LEASE_MS } from '../../core/document/document-views.ts';
import { EVENT_KINDS, type Fact } from '../../core/event-kinds.ts';
import { isSweepId, type SweepId } from '../../core/ids.ts';
import { sweepIdSchema } from '../../core/schema.ts';
import type { Stage } from '../../core/sweep/stage.ts';
import {
  type Sweep,
  type SweepEnd,
  type SweepFindings,
  type SweepStart,
  type SweepUpdate,
  sweepEndSchema,
  sweepStartSchema,
  sweepUpdateSchema,
} from '../../core/sweep/sweep.ts';
import { lineOf, stageDigests, sweepEndOf, sweepHeadDigest } from '../../core/sweep/sweep-digest.ts';
import { type LineDocument, STAGES_MAX, type SweepDocument } from '../../core/sweep/sweep-document.ts';
import { STORED_SWEEPS } from '../../core/sweep/sweep-selectors.ts';
import { unknown } from '../../core/unknown.ts';
import { readStored, SWEEP_FILES } from '../../metrics/stored-file.ts';
import {
  ABANDONED_MS,
  type DocumentKind,
  type DocumentTypes,
  LOST,
  type RoutedKind,
} from './document-kind.ts';
import type { RunRegistry } from './run-registry.ts';
import { plainTarget, type TargetSources, targetNodeOf } from './target-node.ts';

export interface SweepTypes extends DocumentTypes {
  readonly id: SweepId;
  readonly begun: SweepStart;
  readonly update: SweepUpdate;
  readonly ended: SweepEnd;
  readonly stored: Sweep;
  /** By number. */
  readonly live: Map<number, Stage>;
  readonly file: SweepDocument | LineDocument;
}

/** What the routes of sweeps need. */
export const SWEEP_DOCUMENT: RoutedKind<SweepTypes> = {
  ...STORED_SWEEPS,
  ...DOCUMENT_KINDS.sweep,
  idMeaning: 'The id of a sweep or line.',
  idSchema: sweepIdSchema,
  isId: isSweepId,
  idOf: ({ sweepId }) => sweepId,
  noSuch: text => ({ problem: `No sweep ${text} is known here.`, advice: 'GET /api/sweeps lists them.' }),
  startBody: sweepStartSchema,
  updateBody: sweepUpdateSchema,
  endBody: sweepEndSchema,
  summaries: {
    start: 'A sweep or a search for a load line starts on this machine; its stages are reported as runs.',
    progress: `What is known so far, with the stages that changed; due every 2 s, and the sweep counts as interrupted after ${LEASE_MS / 1_000} s.`,
    end: 'A sweep or search has ended: its state, its line and the sentence about it.',
    stop: 'Requests that a sweep or search on this machine stop now and keep what is known, as Ctrl-C does. Its process receives the request with the reply to its next update.',
  },
};

/** @param runs receives the stages of a sweep that was found on disk */
export const sweepKind = (runs: Pick<RunRegistry, 'find'>): DocumentKind<SweepTypes> => ({
  ...SWEEP_DOCUMENT,
  files: SWEEP_FILES,
  fileId: ({ id }) => id,
  storedLimit: EVENT_KINDS['sweep.started'].entriesMax,
  liveLimit: EVENT_KINDS['stages.reported'].entriesMax,
  begin: (begun, parts) => ({
    ...begun,
    ...targetOf(begun.target, parts),
    ...NOTHING_FOUND,
    state: 'running',
    reason: '',
  }),
  open: () => new Map(),
  isReopened: false,
  started: payload => ({ kind: 'sweep.started', payload }),
  ended: payload => ({ kind: 'sweep.ended', payload }),
  leases,
  reported: ({ document, live }, { sweepId, line, sentence, stages, progress }) => {
    for (const stage of stages) if (stage.number <= STAGES_MAX) live.set(stage.number, stage);
    const digests = stageDigests(stagesInOrder(live));
    return [
      ...leases(document),
      { kind: 'stages.reported', payload: { sweepId, line, sentence, stages: digests, progress } },
    ];
  },
  end: ({ document, live }, ended) => ({
    ...document,
    ...ended,
    stages: stageDigests(stagesInOrder(live)),
  }),
  settledAfterMs: ABANDONED_MS,
  settle: (sweep, { file, parts: { state, nodeId } }) => {
    if (file !== undefined) return { ...sweep, ...findingsOf(file), ...sweepEndOf(file) };
    const { line, sentence, stages } = state().sweepProgress[nodeId]?.[sweep.sweepId]?.value ?? NOTHING_FOUND;
    return { ...sweep, line, sentence, stages, ...LOST };
  },
  find: async (directory, parts) => {
    const file = await readStored(directory, SWEEP_FILES);
    if (file.kind === 'refused' || !isSweepId(file.document.id)) return undefined;
    const { document } = file;
    const sweepId = file.document.id;
    return {
      document: {
        sweepId,
        ...sweepHeadDigest(document, directory),
        ...targetOf(document.target, parts),
        ...findingsOf(document),
        ...sweepEndOf(document),
      },
      isWritten: document.state === 'running',
      whenAdded: async () => {
        for (const stage of document.stages)
          await runs.find(join(directory, stage.directory), { sweepId, stage: stage.number });
      },
    };
  },
});

/** Of one in progress. */
export const stagesInOrder = (stages: SweepTypes['live']): readonly Stage[] =>
  [...stages.values()].sort((a, b) => a.number - b.number);

/** The stages have leases of their own; this one holds while one drains and the next has not begun. */
const leases = ({ sweepId, targetNode }: Sweep): readonly Fact[] => [
  {
    kind: 'runner.reported',
    payload: {
      runnerKey: `sweep ${sweepId}`,
      source: 'run',
      targetNode,
      requestsInFlight: unknown('see its stages'),
    },
  },
];

const targetOf = (url: string, parts: TargetSources): Pick<Sweep, 'target' | 'targetNode'> => {
  const target = plainTarget(url);
  return { target, targetNode: targetNodeOf(target, parts) };
};

const findingsOf = (document: SweepDocument | LineDocument): SweepFindings => ({
  ...lineOf(document),
  stages: stageDigests(document.stages),
});

const NOTHING_FOUND: SweepFindings = { line: unknown('no stage has ended'), sentence: '', stages: [] };
