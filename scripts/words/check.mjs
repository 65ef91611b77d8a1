// A part of `npm run lint`: fails on each word that docs/words.md forbids, in the code, in texts and in the documents of the
// checkout. What has to stay (a foreign tool's own text, a literal of a protocol) is a row of ALLOWED with its reason.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findWords, isChecked } from './find-words.mjs';

/** Places where a forbidden word stays: file, word in lower case, reason. A row without a finding is itself a finding. */
export const ALLOWED = [
  {
    file: 'benchmarks/error-bound.bench.ts',
    word: 'beside',
    reason: 'its option --beside, which past results name',
  },
  {
    file: 'src/bench/line/line-search.ts',
    word: 'held',
    reason: 'a load that was held, next to failed and undecided',
  },
  { file: 'src/bench/line/trials.ts', word: 'held', reason: 'the number of stages that held their load' },
  { file: 'test/bench/line/capacity-change.test.ts', word: 'held', reason: 'the fields of line-search.ts' },
  { file: 'src/mock/cases/head-cases.ts', word: 'whatever', reason: 'a literal reason phrase of HTTP' },
  { file: 'src/mock/mock-settings.ts', word: 'alike', reason: 'the option --cache-alike of the mock' },
  { file: 'test/probe/rdma/tool-output.test.ts', word: 'told', reason: 'the name of a recorded output' },
  { file: 'test/scripts/words.test.ts', word: 'told', reason: 'the test of this check' },
  { file: 'test/scripts/words.test.ts', word: 'anew', reason: 'the test of this check' },
];

/** Lines for a person, one for each finding. @param files of {path, source} @param allowed as ALLOWED */
export const wordProblems = (files, allowed) => {
  const used = new Set();
  const found = files.flatMap(({ path, source }) =>
    findWords(path, source).flatMap(({ line, word, instead, near }) => {
      const row = allowed.find(
        ({ file, word: forbidden }) => file === path && forbidden === word.toLowerCase(),
      );
      if (row === undefined) return [`${path}:${line}: "${word}": write ${instead} (${near})`];
      used.add(row);
      return [];
    }),
  );
  const stale = allowed
    .filter(row => !used.has(row))
    .map(({ file, word }) => `${file}: "${word}" is allowed, and not there any more: remove its row`);
  return [...found, ...stale];
};

const root = new URL('../../', import.meta.url);

const filesHere = () =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\0')
    .filter(isChecked)
    .flatMap(path => {
      try {
        return [{ path, source: readFileSync(new URL(path, root), 'utf8') }];
      } catch (error) {
        // A deleted file stays in the list until its deletion is committed.
        if (error.code === 'ENOENT') return [];
        throw error;
      }
    });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = wordProblems(filesHere(), ALLOWED);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0)
    process.stderr.write(
      `${problems.length} findings. docs/words.md has the words to use; scripts/words/check.mjs lists what has to stay.\n`,
    );
  process.exitCode = problems.length > 0 ? 1 : 0;
}
