// The document of a load line of the demo's past, rebuilt from the figures of the simulation: the same search, stage by stage,
// because nothing in it is random.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sweep } from '../../core/sweep/sweep.ts';
import { pastLineDocument } from '../../simulate/past-lines.ts';
import { sweepDocumentToJson } from '../../wire/sweep-schema.ts';

/** The line as its file has it. */
export const pastLineFile = (
  sweep: Sweep,
  { home, version }: { readonly home: string; readonly version: string },
): Sweep => {
  const document = pastLineDocument(sweep, version);
  if (document === undefined) return sweep;
  const directory = join(home, 'runs', sweep.sweepId);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, 'line.json'), sweepDocumentToJson(document));
  return { ...sweep, directory };
};
