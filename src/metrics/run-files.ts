// The files of a run directory, METRICS §7.

import { join } from 'node:path';

export interface RunFiles {
  readonly config: string;
  readonly samples: string;
  readonly events: string;
  readonly finalSnapshot: string;
  /** The server's own metrics; only if it reports any. */
  readonly server: string;
  /** Power of the loaded node; only if it is reported. */
  readonly power: string;
  /** Text of answers, for a tokenizer that counts it; removed afterwards. */
  readonly answers: string;
  readonly report: string;
  readonly reportText: string;
  /** Space reserved for the two reports during a run. */
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
