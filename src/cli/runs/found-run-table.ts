// Runs of a home as a table for a terminal, and as data for programs.

import { counted, formatCount } from '../../core/figure/figure.ts';
import { foreignLabel } from '../../core/run/foreign-run.ts';
import { loadLabel, tagTexts } from '../../core/run/run-shape.ts';
import { LINE_SCHEMA } from '../../core/sweep/sweep-document.ts';
import { clipped, inColumns } from '../../core/text/columns.ts';
import { showable } from '../../core/text/single-line.ts';
import type { FoundRun } from './found-runs.ts';
import { textOfRun } from './run-filters.ts';

export const foundRunTable = (runs: readonly FoundRun[]): readonly string[] => {
  const rows = runs.map(found => {
    const { name, tags, model } = textOfRun(found);
    const { completed, failed } = countsOf(found);
    return [
      found.id,
      found.state,
      [foreignOf(found), name, ...tagTexts(tags)].filter(text => text !== '').join(' · '),
      clipped(model, MODEL_COLUMNS),
      loadOf(found),
      completed,
      failed,
    ].map(cell => showable(cell, '?'));
  });
  return inColumns([['run', 'state', 'name and tags', 'model', 'load', 'completed', 'failed'], ...rows], {
    indent: 0,
  });
};

interface FoundRunData {
  readonly kind: 'run' | 'sweep' | 'line';
  readonly id: string;
  readonly directory: string;
  readonly state: FoundRun['state'];
  readonly startedAt: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly model: string;
  readonly target: string;
  readonly load: string;
  /** Of a run of another tool: "AIPerf 0.13.0". */
  readonly foreign?: string;
}

export const foundRunData = (found: FoundRun): FoundRunData => ({
  kind: found.kind === 'run' ? 'run' : found.document.schema === LINE_SCHEMA ? 'line' : 'sweep',
  id: found.id,
  directory: found.directory,
  state: found.state,
  ...textOfRun(found),
  load: loadOf(found),
  ...(found.kind === 'run' && found.config.run.foreign !== undefined
    ? { foreign: foreignLabel(found.config.run.foreign) }
    : {}),
});

const foreignOf = (found: FoundRun): string =>
  found.kind === 'run' && found.config.run.foreign !== undefined
    ? `from ${foreignLabel(found.config.run.foreign)}`
    : '';

const loadOf = (found: FoundRun): string => {
  if (found.kind === 'run') return loadLabel(found.config.run);
  const { document } = found;
  const stages = counted(document.stages.length, 'stage');
  return document.schema === LINE_SCHEMA ? `load line, ${stages}` : `sweep, ${stages}`;
};

const countsOf = (found: FoundRun): { readonly completed: string; readonly failed: string } => {
  const counts = found.kind === 'run' ? found.report?.counts : undefined;
  return counts === undefined
    ? { completed: '', failed: '' }
    : { completed: formatCount(counts.completed), failed: formatCount(counts.failed) };
};

const MODEL_COLUMNS = 32;
