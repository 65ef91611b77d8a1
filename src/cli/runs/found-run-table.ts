// Stored documents of a home as a table for a terminal, and as data for programs.

import { formatCount } from '../../core/figure/figure.ts';
import { tagTexts } from '../../core/run/run-shape.ts';
import { clipped, inColumns } from '../../core/text/columns.ts';
import { showable } from '../../core/text/single-line.ts';
import { LISTED_COLUMNS } from '../../render/document/listed-document.ts';
import type { FoundRun } from './found-runs.ts';

export const foundRunTable = (runs: readonly FoundRun[]): readonly string[] => {
  const rows = runs.map(({ foreign, name, tags, counts, ...found }) => {
    const tool = foreign === undefined ? '' : `from ${foreign}`;
    const listed = { ...found, names: [tool, name, ...tagTexts(tags)].filter(text => text !== '') };
    return [
      ...COLUMNS.map(({ key, text }) => clipped(text(listed), CLIPPED[key] ?? Number.POSITIVE_INFINITY)),
      counts === undefined ? '' : formatCount(counts.completed),
      counts === undefined ? '' : formatCount(counts.failed),
    ].map(cell => showable(cell, '?'));
  });
  return inColumns([[...COLUMNS.map(({ title }) => title), 'completed', 'failed'], ...rows], { indent: 0 });
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

const COLUMNS = Object.entries(LISTED_COLUMNS).map(([key, column]) => ({ key, ...column }));
const CLIPPED: Readonly<Record<string, number>> = { model: 32, target: 40, result: 48 };
