// `node scripts/golden.mjs OUT` writes every output that a person or a program reads, from inputs that never change: the
// same sources write the same bytes. Two trees compared: the same command in each, then `diff -r A B`. The inputs are a
// simulated cluster on a virtual clock, the facts and documents in test/fixtures/versions, and runs drawn from a seed.
//
// Not covered: what is printed only while a command runs (probes, doctor, the screens of sweep and compare), replies to
// POST other than MCP, the stream, the map of the cluster, and what a page fetches or draws after it was opened.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { allCommands } from '../src/cli/commands.ts';
import { madeUpProcess } from '../test/support/made-up-process.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { writeCluster } from './golden/cluster.mjs';
import { writePages } from './golden/pages.mjs';
import { writeReports } from './golden/reports.mjs';

const [outPath] = process.argv.slice(2);
if (outPath === undefined) throw new Error('usage: node scripts/golden.mjs OUT');
process.env.TZ = 'UTC';
const out = resolve(outPath);
using work = temporaryDirectory();

/** The place of temporary files differs from run to run, so it is not part of a text. */
const put = (name, text) => {
  const path = join(out, name);
  mkdirSync(dirname(path), { recursive: true });
  const content = typeof text === 'string' ? text : `${JSON.stringify(text, undefined, 1)}\n`;
  writeFileSync(path, content.replaceAll(work.path, '/WORK'));
};

/** What a command prints, its errors and its exit code. */
const printed = async (args, options = {}) => {
  const command = madeUpProcess(args, { columns: 100, ...options });
  const code = await command.run();
  const rest = command.stderr.text === '' ? '' : `\nstandard error:\n${command.stderr.text}`;
  return `${command.stdout.text}${rest}${code === 0 ? '' : `\nexit code ${code}\n`}`;
};

for (const { name } of await allCommands())
  put(`help/${name.replaceAll(' ', '-')}.txt`, await printed([...name.split(' '), '--help']));
put('help/all.txt', await printed(['--help']));
put('help/man.txt', await printed(['man']));
for (const shell of ['bash', 'zsh', 'fish']) put(`help/${shell}.txt`, await printed(['completion', shell]));

const context = { put, printed, work: work.path };
await writeReports(context);
const cluster = await writeCluster(context);
await writePages(context, cluster);
process.exit(0);
