// Stored documents of a home as a table for a terminal, and as data for programs.

import { formatCount } from '../../core/figure/figure.ts';
import { tagTexts } from '../../core/run/run-shape.ts';
import { clipped, inColumns } from '../../core/text/columns.ts';
import { showable } from '../../core/text/single-line.ts';
import type { FoundRun } from './found-runs.ts';

export const foundRunTable = (runs: readonly FoundRun[]): readonly string[] => {
  const rows = runs.map(({ foreign, name, tags, counts, ...found }) =>
    [
      found.id,
      found.state,
      [foreign === undefined ? '' : `from ${foreign}`, name, ...tagTexts(tags)]
        .filter(text => text !== '')
        .join(' · '),
      timeText(found.startedAt),
      clipped(found.model, MODEL_COLUMNS),
      clipped(found.target, TARGET_COLUMNS),
      found.load,
      clipped(found.result, RESULT_COLUMNS),
      counts === undefined ? '' : formatCount(counts.completed),
      counts === undefined ? '' : formatCount(counts.failed),
    ].map(cell => showable(cell, '?')),
  );
  return inColumns([HEAD, ...rows], { indent: 0 });
};

type FoundRunData = Omit<FoundRun, 'row' | 'link' | 'counts'>;

export const foundRunData = ({
  kind,
  id,
  directory,
  state,
  startedAt,
  name,
  tags,
  model,
  target,
  load,
  result,
  foreign,
}: FoundRun): FoundRunData => ({
  kind,
  id,
  directory,
  state,
  name,
  tags,
  model,
  target,
  startedAt,
  load,
  ...(foreign === undefined ? {} : { foreign }),
  result,
});

/** "2026-11-27 14:02", UTC. */
const timeText = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

const HEAD = [
  'run',
  'state',
  'name and tags',
  'started (UTC)',
  'model',
  'target',
  'load',
  'result',
  'completed',
  'failed',
] as const;
const MODEL_COLUMNS = 32;
const TARGET_COLUMNS = 40;
const RESULT_COLUMNS = 48;
