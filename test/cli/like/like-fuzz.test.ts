import { expect, test } from 'vitest';
import { CommandError } from '../../../src/cli/command-error.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { benchCommand } from '../../../src/cli/commands/bench.ts';
import { sweepCommand } from '../../../src/cli/commands/sweep.ts';
import { LIKE_TOOLS, type LikeTool } from '../../../src/cli/like/like-command.ts';
import { likeText } from '../../../src/cli/like/like-tool.ts';
import { type SeededRandom, seededRandom } from '../../../src/core/random.ts';
import { shellWords } from '../../../src/core/text/shell-words.ts';

const FLAGS_OF_OTHERS = [
  ...['-n', '-c', '-d', '-z', '-H', '--vus', '--num-prompts', '--isl', '--goodput', '--never-seen'],
];

const FLAGS: Readonly<Partial<Record<LikeTool, readonly string[]>>> = {
  vllm: [
    '--model',
    '--num-prompts',
    '--request-rate',
    '--max-concurrency',
    '--burstiness',
    '--goodput',
    '--header',
    '--extra-body',
    '--dataset-name',
    '--random-input-len',
    '--random-range-ratio',
    '--base-url',
    '--host',
    '--port',
    '--seed',
    '--backend',
    '--top-k',
    '--num-warmups',
    '--never-seen',
  ],
  aiperf: [
    '-m',
    '--url',
    '--concurrency',
    '--request-rate',
    '--request-count',
    '--benchmark-duration',
    '--isl',
    '--isl-stddev',
    '--osl',
    '--extra-inputs',
    '--goodput',
    '--input-file',
    '--header',
    '--streaming',
    '--arrival-pattern',
    '--custom-dataset-type',
    '--never-seen',
  ],
  guidellm: [
    '--target',
    '--profile',
    '--rate',
    '--max-requests',
    '--max-seconds',
    '--data',
    '--backend',
    '--constraint',
    '--seed',
    '--output',
    '--random-seed',
    '--request-format',
    '--never-seen',
  ],
};
const VALUES = [
  '',
  '4',
  '0',
  '-1',
  '1e9',
  'inf',
  'NaN',
  'http://h:1',
  'h',
  'a:b:c',
  '{"a":1',
  '{"a":1}',
  'kind=',
  'kind=concurrent,streams=[1,2',
  'kind=max_requests,count=',
  'prompt_tokens=x',
  'ttft:',
  ':',
  '=',
  '==',
  '[',
  ']',
  ',',
  '$(reboot)',
  '\u001b[2J',
  '\u0000',
  'ü',
  "it''s",
  '--',
  '-',
  'a'.repeat(2_000),
];

const pick = <T>(random: SeededRandom, from: readonly T[]): T | undefined =>
  from[Math.floor(random.next() * from.length)];

test.for(LIKE_TOOLS.filter(tool => tool !== 'llama-bench'))(
  'any command of %s becomes a command of options that exist, or an error',
  tool => {
    const random = seededRandom(3);
    for (let round = 0; round < 700; round += 1) {
      const words = Array.from({ length: Math.floor(random.next() * 8) }, () => {
        const flag = pick(random, FLAGS[tool] ?? FLAGS_OF_OTHERS) ?? '';
        const value = pick(random, VALUES) ?? '';
        return `${flag}${random.next() < 0.3 ? '=' : ' '}'${value.replaceAll("'", '')}'`;
      });
      const reported = likeText(tool, `${tool} run ${words.join(' ')}`);
      if (reported.kind === 'wrong') {
        expect(reported.problem).not.toBe('');
        continue;
      }
      const [, ...args] = shellWords(reported.value.command) ?? [];
      try {
        parseCommandLine(args, [benchCommand, sweepCommand]);
      } catch (error) {
        // A value that is out of range is reported with its option. An option that does not exist would be our own mistake.
        if (!(error instanceof CommandError)) throw error;
        expect(error.problem.problem).not.toMatch(/unknown option|is not expected/);
      }
      const isUnknownReported = reported.value.notes.some(note => note.includes('--never-seen'));
      expect(isUnknownReported).toBe(words.some(word => word.startsWith('--never-seen')));
    }
  },
);
