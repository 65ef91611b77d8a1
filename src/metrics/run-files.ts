// The files of a run directory, METRICS §7.

import { join } from 'node:path';

export interface RunFiles {
  readonly config: string;
  readonly samples: string;
  readonly events: string;
  readonly finalSnapshot: string;
  /** What the server told of itself; only where it tells anything. */
  readonly server: string;
  /** What the node that was loaded drew; only where it tells anything. */
  readonly power: string;
  /** What was answered, for a tokenizer that counts it; gone when that is done. */
  readonly answers: string;
  readonly report: string;
  readonly reportText: string;
  /** Space that is held for the two reports while a run goes on. */
  readonly reserve: string;
}

export const runFiles = (directory: string): RunFiles => ({
  config: join(directory, 'config.json'),
  samples: join(directory, 'samples.jsonl'),
  events: join(directory, 'events.jsonl'),
  finalSnapshot: join(directory, 'final_snapshot.json'),
  server: join(directory, 'server.csv'),
  power: join(directory, 'power.csv'),
  answers: join(directory, 'answers.tmp'),
  report: join(directory, 'report.json'),
  reportText: join(directory, 'report.txt'),
  reserve: join(directory, 'reserve.tmp'),
});
