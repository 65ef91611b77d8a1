// `npm run fuzz -- [TARGET…] [--seconds N] [--runs N] [--seed N] [--untaken]`: fuzzes targets, one after the
// other, and reports how many inputs were tried and what they covered. What breaks something is made short
// and written into a file; `--input FILE` gives it to the target again, without counters, and shows where it
// breaks.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { attempt } from './attempt.ts';
import { type FoundInput, fuzzInThread } from './fuzz-in-thread.ts';
import { shortened } from './shortened.ts';
import { loadTarget, targetNames } from './targets.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    input: { type: 'string' },
    untaken: { type: 'boolean', default: false },
  },
});

const refuse = (what: string): never => {
  process.stderr.write(`${what}\n`);
  process.exit(2);
};

const numberOf = (name: 'seconds' | 'runs' | 'seed', otherwise: number): number => {
  const text = values[name];
  const number = text === undefined ? otherwise : Number(text);
  return Number.isFinite(number) && number >= 0 ? number : refuse(`--${name} ${text} is not a number.`);
};

const known = targetNames();
const names = positionals.length === 0 ? known : positionals;
for (const name of names)
  if (!known.includes(name)) refuse(`There is no target ${name}. There are: ${known.join(', ')}.`);

const again = async (file: string): Promise<void> => {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0 || positionals.length === 0)
    return refuse('--input needs one target.');
  const target = await loadTarget(name);
  const input = readFileSync(file);
  try {
    process.stdout.write(`gave ${JSON.stringify(await target.run(input))?.slice(0, 2_000)}\n`);
  } catch (error) {
    process.stdout.write(
      `${target.isRefusal?.(error) === true ? 'refused: ' : ''}${error instanceof Error ? error.stack : String(error)}\n`,
    );
  }
  const finding = await attempt(target, input);
  await target.close?.();
  process.stdout.write(finding === undefined ? 'nothing is broken\n' : `${finding.kind}: ${finding.what}\n`);
  process.exitCode = finding === undefined ? 0 : 1;
};

const report = async (name: string, { kind, what, input }: FoundInput): Promise<void> => {
  const target = await loadTarget(name);
  const isSame = async (tried: Uint8Array): Promise<boolean> => {
    const finding = await attempt(target, tried);
    return finding?.kind === kind && finding.what.slice(0, 40) === what.slice(0, 40);
  };
  // One that hangs or dies would take this process with it.
  const isSafe = kind === 'threw' || kind === 'prototype';
  const short = isSafe && (await isSame(input)) ? await shortened(input, isSame) : input;
  await target.close?.();
  const file = `fuzz-${name}-${createHash('sha256').update(short).digest('hex').slice(0, 8)}.bin`;
  writeFileSync(file, short);
  process.stdout.write(
    `  ${kind}: ${what.replaceAll(/[^\x20-\x7e]/g, '?')}\n    ${short.length} bytes; again with: npm run fuzz -- ${name} --input ${file}\n`,
  );
};

let broken = 0;
if (values.input !== undefined) await again(values.input);
else
  for (const name of names) {
    const runs = numberOf('runs', values.seconds === undefined ? 100_000 : Number.MAX_SAFE_INTEGER);
    const seconds = numberOf('seconds', 86_400);
    const { found, result } = await fuzzInThread({ name, seed: numberOf('seed', 1), runs, seconds });
    broken += found.length;
    process.stdout.write(
      result === undefined
        ? `${name}: did not come to its end\n`
        : `${name}: ${result.executions} inputs, ${(result.executions / result.seconds).toFixed(0)}/s (${(result.executions / result.processorSeconds).toFixed(0)} a second of processor), ${result.ownTaken} of ${result.ownBranches} branches (${((100 * result.ownTaken) / Math.max(1, result.ownBranches)).toFixed(0)} %), ${result.branchesTaken} with what it calls, ${result.kept} inputs kept, ${found.length} broke it\n`,
    );
    for (const one of found) await report(name, one);
    if (values.untaken)
      for (const location of result?.untaken ?? []) process.stdout.write(`  not taken: ${location}\n`);
  }
if (broken > 0) process.exitCode = 1;
