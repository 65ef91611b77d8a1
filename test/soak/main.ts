// `npm run soak -- --hours N [--out DIR]`: four daemons in namespaces of their own with everything that
// happens to a cluster, for hours, and what grows meanwhile. `--idle --segments N`: one daemon that is only
// watched, so many times the hours. `--report` reports again the results of the pieces in DIR. docs/soak.md

import { parseArgs } from 'node:util';
import { reasonAgainstShaping } from '../network/shaped-cable.ts';
import { requireBuild } from '../support/build.ts';
import { runIdleSoak } from './idle-soak.ts';
import { runPiece } from './soak-piece.ts';
import { reportSoak } from './soak-report.ts';

/** A timer of Node ends after 24.8 days. */
const HOURS_LIMIT = 500;

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '2' },
    out: { type: 'string', default: 'soak' },
    idle: { type: 'boolean', default: false },
    segments: { type: 'string', default: '1' },
    report: { type: 'boolean', default: false },
  },
});

const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
};

const hours = Number(values.hours);
if (!(hours > 0 && hours <= HOURS_LIMIT))
  refuse(`--hours ${values.hours} is not a number above 0, at most ${HOURS_LIMIT}.`);

const segments = Number(values.segments);
if (!(Number.isInteger(segments) && segments >= 1 && segments * hours <= HOURS_LIMIT))
  refuse(`--segments ${values.segments} is not a number from 1, or ${HOURS_LIMIT} hours are exceeded.`);
if (segments > 1 && !values.idle) refuse('--segments is for --idle: the others are pieces of a call each.');

if (!values.report) {
  const reason = values.idle ? undefined : reasonAgainstShaping();
  if (reason !== undefined) refuse(`There is no soak here: ${reason}.`);
  requireBuild();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const soak = { out: values.out, hours, signal: stop.signal };
  if (values.idle) await runIdleSoak({ ...soak, segments });
  else await runPiece(soak);
}

const { text, isGood } = reportSoak(values.out);
process.stdout.write(`${text}\n`);
process.exitCode = isGood ? 0 : 1;
