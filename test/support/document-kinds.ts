// One made-up document of each kind, for what holds for all kinds.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  comparisonEnd,
  findingsOfComparison,
  reportedComparison,
  reportedPairs,
} from '../../src/core/comparison/reported-comparison.ts';
import { documentViews, type StoredDocument } from '../../src/core/document/document-views.ts';
import { type ComparisonId, type DocumentId, isComparisonId } from '../../src/core/ids.ts';
import { sweepHeadDigest } from '../../src/core/sweep/sweep-digest.ts';
import { jsonLines } from '../../src/core/text/single-line.ts';
import { unknown } from '../../src/core/unknown.ts';
import { COMPARISON_DOCUMENT, type ComparisonTypes } from '../../src/daemon/runs/comparison-kind.ts';
import type { DocumentKind, DocumentTypes, RegistryParts } from '../../src/daemon/runs/document-kind.ts';
import { DocumentRegistry } from '../../src/daemon/runs/document-registry.ts';
import { PLAIN_DOCUMENT, type PlainTypes } from '../../src/daemon/runs/plain-kind.ts';
import { RUN_DOCUMENT, RunRegistry, type RunTypes } from '../../src/daemon/runs/run-registry.ts';
import { type SweepTypes, sweepKind } from '../../src/daemon/runs/sweep-kind.ts';
import { CAMPAIGN } from '../../src/render/campaign/probe-campaign.ts';
import { plainReport, plainStart } from '../../src/render/document/plain-kind.ts';
import { comparisonToJson } from '../../src/wire/stored-json.ts';
import { madeUpCampaign } from './made-up-campaign.ts';
import { madeUpComparison } from './made-up-comparison.ts';
import { madeUpLine, sweepIdOf, writeLine } from './made-up-line.ts';
import { MadeUpRun } from './made-up-run.ts';
import { registryParts } from './registry-parts.ts';
import { madeUpFigures, madeUpRunEntry, runIdOf } from './run-entry.ts';
import { runConfig } from './run-records.ts';

interface Samples<T extends DocumentTypes> {
  readonly registry: (parts: RegistryParts) => DocumentRegistry<T>;
  readonly kind: Pick<DocumentKind<T>, 'entries' | 'idOf' | 'lastSign' | 'silentReason'>;
  readonly liveLimit: number;
  readonly id: (text: string) => T['id'];
  readonly begun: (id: T['id'], directory: string) => T['begun'];
  readonly update: (id: T['id']) => T['update'];
  readonly ended: (id: T['id']) => T['ended'];
  /** Its file as a process that ended left it. */
  readonly write: (directory: string) => void;
}

/** A registry of one kind in a home, and what is done to it, the same for every kind. */
export const madeRegistry = <T extends DocumentTypes>(samples: Samples<T>, home: string) => {
  const { parts, ...more } = registryParts(home);
  const registry = samples.registry(parts);
  const directory = join(home, 'elsewhere');
  mkdirSync(directory);
  const idOf = (id: string) => samples.id(id);
  return {
    ...more,
    liveLimit: samples.liveLimit,
    start: (id = 'd1') => registry.start(samples.begun(idOf(id), directory)),
    update: () => registry.update(samples.update(idOf('d1'))),
    end: () => registry.end(samples.ended(idOf('d1'))),
    stop: () => registry.stop(idOf('d1')),
    look: () => registry.look(),
    write: () => samples.write(directory),
    own: (): StoredDocument | undefined => registry.own(idOf('d1')),
    view: () =>
      documentViews(samples.kind, more.cluster.state, more.clock.nowMs()).find(
        ({ document }) => samples.kind.idOf(document) === 'd1',
      ),
  };
};

const PAIRS = madeUpComparison([
  [318, 280],
  [322, 283],
]);
const comparisonIdOf = (id: string): ComparisonId => {
  if (isComparisonId(id)) return id;
  throw new RangeError(id);
};

const COMPARISONS: Samples<ComparisonTypes> = {
  registry: parts => new DocumentRegistry(COMPARISON_DOCUMENT, parts),
  kind: COMPARISON_DOCUMENT,
  liveLimit: COMPARISON_DOCUMENT.liveLimit,
  id: comparisonIdOf,
  begun: (comparisonId, directory) => ({
    comparisonId,
    ...reportedComparison(madeUpComparison([]), directory),
  }),
  update: comparisonId => ({
    comparisonId,
    ...findingsOfComparison(PAIRS),
    ...reportedPairs({
      ...PAIRS,
      state: 'running',
      progress: { pairsDone: 2, segment: { pair: 3, side: 'b' }, nextLookMs: 240_000 },
    }),
  }),
  ended: comparisonId => {
    const { a, b } = reportedComparison(PAIRS, '/nowhere');
    return { comparisonId, a, b, ...findingsOfComparison(PAIRS), ...comparisonEnd(PAIRS) };
  },
  write: directory =>
    writeFileSync(join(directory, 'comparison.json'), comparisonToJson({ ...PAIRS, id: 'd1' })),
};

const SWEEP_KIND = sweepKind({ find: async () => undefined });
const SWEEPS: Samples<SweepTypes> = {
  registry: parts => new DocumentRegistry(SWEEP_KIND, parts),
  kind: SWEEP_KIND,
  liveLimit: SWEEP_KIND.liveLimit,
  id: sweepIdOf,
  begun: (sweepId, directory) => ({ sweepId, ...sweepHeadDigest(madeUpLine(0), directory) }),
  update: sweepId => {
    const { line, sentence, stages, progress } = madeUpLine(370);
    return { sweepId, line, sentence, stages, progress: progress ?? unknown('not planned') };
  },
  ended: sweepId => {
    const { line, sentence, model } = madeUpLine();
    return { sweepId, state: 'complete', reason: '', line, sentence, model };
  },
  write: directory => writeLine(directory, madeUpLine(undefined, { id: 'd1' })),
};

const RUNS: Samples<RunTypes> = {
  registry: parts => new RunRegistry(parts),
  kind: RUN_DOCUMENT,
  liveLimit: 64,
  id: runIdOf,
  begun: (runId, directory) => {
    const {
      targetNode: _node,
      state: _state,
      reason: _reason,
      figures: _figures,
      ...start
    } = madeUpRunEntry(runId);
    return { ...start, directory };
  },
  update: runId => ({
    runId,
    phase: 'measuring',
    elapsedMs: 5_000,
    measuredMs: 5_000,
    figures: madeUpFigures(),
    recent: { requestsPerSecond: 8, outputTokensPerSecond: 900 },
    contentArrived: { chunks: 12, tokensPerChunk: 1 },
    agents: unknown('one machine makes the load'),
    updatesDropped: 0,
  }),
  ended: runId => ({
    runId,
    state: 'complete',
    reason: '',
    model: 'made-up',
    directory: '/nowhere',
    figures: madeUpFigures(),
  }),
  write: directory => {
    const run = new MadeUpRun({ directory, config: runConfig({ id: 'd1' }) });
    run.samples(50, { fromMs: 0, untilMs: 5_000 });
    run.report();
  },
};

const CAMPAIGN_DONE = plainReport(CAMPAIGN, madeUpCampaign('d1'));
const documentIdOf = (id: string): DocumentId => madeUpCampaign(id).id;

const DOCUMENTS: Samples<PlainTypes> = {
  registry: parts => new DocumentRegistry(PLAIN_DOCUMENT, parts),
  kind: PLAIN_DOCUMENT,
  liveLimit: PLAIN_DOCUMENT.liveLimit,
  id: documentIdOf,
  begun: (documentId, directory) => ({ ...plainStart(CAMPAIGN_DONE, directory), documentId }),
  update: documentId => ({ documentId, load: '2 probes', result: '1 of 2 ended' }),
  ended: documentId => ({
    documentId,
    load: '2 probes',
    result: '2 of 2 ended',
    state: 'complete',
    reason: '',
  }),
  write: directory => writeFileSync(join(directory, 'campaign.json'), jsonLines(CAMPAIGN_DONE.document)),
};

/** What is the same for every kind is a test of each of these. */
export const MADE_UP_KINDS: readonly (readonly [
  string,
  (home: string) => ReturnType<typeof madeRegistry>,
])[] = [
  ['run', home => madeRegistry(RUNS, home)],
  ['sweep', home => madeRegistry(SWEEPS, home)],
  ['comparison', home => madeRegistry(COMPARISONS, home)],
  ['document', home => madeRegistry(DOCUMENTS, home)],
];
