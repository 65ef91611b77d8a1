// A load line as a search writes it, whole or as far as it is, and one that announces itself to the daemon of a home.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentReporter, REPORTED_SWEEP } from '../../src/bench/announce/document-reporter.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import { isSweepId, type SweepId } from '../../src/core/ids.ts';
import type { Sweep } from '../../src/core/sweep/sweep.ts';
import { lineOf, stageDigests, sweepHeadDigest } from '../../src/core/sweep/sweep-digest.ts';
import { type LineDocument, SWEEP_SCHEMA, type SweepDocument } from '../../src/core/sweep/sweep-document.ts';
import { unknown } from '../../src/core/unknown.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';
import { simulatedLine } from '../../src/simulate/simulated-line.ts';
import { sweepDocumentToJson } from '../../src/wire/stored-json.ts';

export const sweepIdOf = (text: string): SweepId => {
  if (isSweepId(text)) return text;
  throw new Error(`not the id of a sweep: ${text}`);
};

/** @param doneSeconds since it began; undefined: it has ended. */
export const madeUpLine = (doneSeconds?: number, more: Partial<LineDocument> = {}): LineDocument => ({
  ...simulatedLine(
    {
      startedWallMs: Date.UTC(2026, 10, 20, 12),
      target: 'http://127.0.0.1:8000',
      model: 'made-up',
      plimsollVersion: '0.0.0-test',
      capacityPerSecond: 12.1,
      firstPerSecond: 1,
      outputTokens: 220,
      stageSeconds: 60,
    },
    doneSeconds,
  ),
  id: 'line-1',
  ...more,
});

/** The same stages as loads that a person named. */
export const madeUpSweep = (id: string): SweepDocument => {
  const {
    by: _by,
    resolution: _resolution,
    confidence: _confidence,
    budgetMs: _budgetMs,
    usedMs: _usedMs,
    line: _line,
    sentence: _sentence,
    progress: _progress,
    schema: _schema,
    ...head
  } = madeUpLine();
  const requested = head.stages.map(({ load }) => load);
  return {
    ...head,
    id,
    schema: SWEEP_SCHEMA,
    requested,
    resume: unknown('made up'),
    command: 'plimsoll sweep http://127.0.0.1:8000 --rates 1,2,4',
  };
};

/** As the cluster holds it. */
export const sweepEntry = (document: SweepDocument | LineDocument, more: Partial<Sweep> = {}): Sweep => ({
  ...sweepHeadDigest(document, `/runs/${document.id}`),
  sweepId: sweepIdOf(document.id),
  targetNode: unknown('no node has this address'),
  state: 'running',
  reason: '',
  ...lineOf(document),
  stages: stageDigests(document.stages),
  ...more,
});

export const writeSweep = (directory: string, document: SweepDocument): void => {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'sweep.json'), sweepDocumentToJson(document));
};

export const writeLine = (directory: string, document: LineDocument): void => {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'line.json'), sweepDocumentToJson(document));
};

export const announceSweepTo = (
  home: string,
  document: SweepDocument | LineDocument,
  more: { readonly directory: string; readonly onStopRequested?: () => void },
): DocumentReporter<SweepDocument | LineDocument> =>
  new DocumentReporter(REPORTED_SWEEP, {
    findDaemon: async () => {
      const found = await readDaemonFile(join(home, 'daemon.json'));
      return found.kind === 'found' ? found.file : undefined;
    },
    clock: systemClock,
    document,
    ...more,
  });
