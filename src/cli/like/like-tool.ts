// `plimsoll bench --like vllm 'vllm bench serve …'`: the command of ours that sends the same load, printed and not run.

import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { shellWords } from '../../core/text/shell-words.ts';
import { commandText } from '../sweep/kept-command.ts';
import { likeAiperf } from './aiperf-command.ts';
import { likeGuidellm } from './guidellm-command.ts';
import type { LikeCommand, LikeTool } from './like-command.ts';
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
  const { url, options, notes } = TOOLS[tool](words.slice(from));
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
  return parsed({ command: commandText('bench', { args: [url, ...args] }), notes });
};

const TOOLS: Readonly<Record<LikeTool, (words: readonly string[]) => LikeCommand>> = {
  vllm: likeVllm,
  aiperf: likeAiperf,
  guidellm: likeGuidellm,
};

const EXAMPLES: Readonly<Record<LikeTool, string>> = {
  vllm: 'vllm bench serve --model M --num-prompts 100',
  aiperf: 'aiperf profile --model M --url http://127.0.0.1:8000',
  guidellm: 'guidellm benchmark --target http://127.0.0.1:8000 --max-requests 100',
};
