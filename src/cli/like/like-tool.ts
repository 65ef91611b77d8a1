// `plimsoll bench --like vllm 'vllm bench serve …'`: the command of ours that sends the same load, printed and not run.

import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { shellCommand, shellWords } from '../../core/text/shell-words.ts';
import { CommandError } from '../command-error.ts';
import { commandText } from '../sweep/kept-command.ts';
import { likeAiperf } from './aiperf-command.ts';
import { likeGeneric } from './generic-command.ts';
import { likeGuidellm } from './guidellm-command.ts';
import { LIKE_TOOLS, type LikeCommand, type LikeTool } from './like-command.ts';
import { likeVllm } from './vllm-command.ts';

interface LikeText {
  readonly command: string;
  /** What differs or was left out. */
  readonly notes: readonly string[];
}

/** @param text the other tool's command line, whole or without its name */
export const likeText = (tool: LikeTool, text: string): Parsed<LikeText> => {
  const words = shellWords(text);
  if (words === undefined)
    return wrong(
      'a quotation mark of the command is never closed',
      'Put the whole command in other quotation marks.',
    );
  const from = words.findIndex(word => word.startsWith('-'));
  if (from === -1)
    return wrong(
      `${JSON.stringify(text.slice(0, 40))} has no flags`,
      `Give the whole command: '${EXAMPLES[tool]}'`,
    );
  const read = readBy(tool, words.slice(from));
  if (read.kind === 'wrong') return read;
  const { command, url, options, notes } = read.value;
  if (url.trim() === '' || url.startsWith('-'))
    return wrong(
      `${JSON.stringify(url.slice(0, 40))} is no address of a server`,
      `Give the whole command: '${EXAMPLES[tool]}'`,
    );
  const args = options.flatMap(([name, value]) => {
    if (value === '') return [`--${name}`];
    // Else it would be taken for an option.
    return value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];
  });
  return parsed({ command: commandText(command, { args: [url, ...args] }), notes });
};

/** An option without its value is an error of the words that are read. */
const readBy = (tool: LikeTool, words: readonly string[]): Parsed<LikeCommand> => {
  try {
    return parsed(TOOLS[tool](words));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return wrong(error.problem.problem, error.problem.advice);
  }
};

const TOOLS: Readonly<Record<LikeTool, (words: readonly string[]) => LikeCommand>> = {
  vllm: likeVllm,
  sglang: likeGeneric([
    ['api', 'sglang'],
    ['requests', '1000'],
    // All at once.
    ['concurrency', '1000'],
  ]),
  aiperf: likeAiperf,
  'genai-perf': likeAiperf,
  guidellm: likeGuidellm,
  oha: likeGeneric([]),
  hey: likeGeneric([]),
  wrk: likeGeneric([]),
  ab: likeGeneric([]),
  k6: likeGeneric([]),
  'llama-bench': () => ({
    command: 'bench',
    url: 'http://127.0.0.1:8080',
    options: [['profile', 'depth']],
    notes: [
      'llama-bench loads the model itself; start llama-server with it, and measure its speed at each depth',
    ],
  }),
};

const EXAMPLES: Readonly<Record<LikeTool, string>> = {
  vllm: 'vllm bench serve --model M --num-prompts 100',
  aiperf: 'aiperf profile --model M --url http://127.0.0.1:8000',
  'genai-perf': 'genai-perf profile -m M --url 127.0.0.1:8000 --concurrency 4',
  guidellm: 'guidellm benchmark --target http://127.0.0.1:8000 --max-requests 100',
  sglang: 'python3 -m sglang.bench_serving --backend sglang --num-prompts 100',
  oha: 'oha -n 200 -c 50 http://127.0.0.1:8000',
  hey: 'hey -n 200 -c 50 http://127.0.0.1:8000',
  wrk: 'wrk -t2 -c100 -d30s http://127.0.0.1:8000',
  ab: 'ab -n 200 -c 50 http://127.0.0.1:8000/',
  k6: 'k6 run --vus 10 --duration 30s script.js',
  'llama-bench': 'llama-bench -m model.gguf -p 512 -n 128',
};

/** The words of a whole command of another tool, such as "vllm bench serve --model M"; undefined if it is none. */
export const foreignCommand = (words: readonly string[]): Parsed<LikeText> | undefined => {
  const named = words.slice(0, 4).map(word => word.replace(/^.*\//, ''));
  const tool = LIKE_TOOLS.find(name => named[0] === name || named.some(word => word.startsWith(`${name}.`)));
  return tool === undefined ? undefined : likeText(tool, shellCommand`${words}`.trim());
};
