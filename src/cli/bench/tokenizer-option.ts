// `--tokenizer`: counts the tokens of answers with the tokenizer of the model if its server does not report them.

import { resolve } from 'node:path';
import type { BenchRequest } from '../../bench/run/bench-request.ts';
import type { ServerApi } from '../../bench/target/api/server-api.ts';
import { wrong } from '../../core/figure/parse-figure.ts';
import { excludes, nonEmpty, type Option, optionsIn } from '../../core/option/option.ts';
import { isHubId } from '../../model/hub-files.ts';
import type { Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';

const { value } = optionsIn('Requests');

export const TOKENIZER = {
  tokenizer: value({
    name: 'tokenizer',
    rules: [excludes(['profile', 'from', 'agents'])],
    valueName: 'DIR|server',
    meaning:
      "Count output tokens after the run if the server reports none: by a folder's tokenizer.json, that of hf:org/name, or the server's /tokenize.",
    reads: text => (text === 'server' ? undefined : text),
    parse: nonEmpty,
  }),
};

/** Refused in words where the tokens of a request have to be known before its run has ended. */
export const notCounted = (command: 'line' | 'compare', reason: string): Option<undefined> =>
  value({
    name: 'tokenizer',
    valueName: 'DIR',
    meaning: `Refused: ${reason}. Use plimsoll bench or plimsoll sweep.`,
    parse: () =>
      wrong(
        `plimsoll ${command} takes no tokenizer: ${reason}`,
        'Try the same loads with plimsoll sweep --tokenizer DIR, or one with plimsoll bench.',
      ),
  });

/** @throws CommandError `usage` for what it cannot be combined with. */
export const tokenizerChoice = (
  invocation: Invocation,
  { api, cwd, others }: { readonly api: ServerApi; readonly cwd: string; readonly others: readonly string[] },
): Pick<BenchRequest, 'tokenizer'> => {
  const folder = invocation.option(TOKENIZER.tokenizer);
  if (folder === undefined) return {};
  const [other] = others;
  if (other !== undefined)
    throw new CommandError('usage', `--tokenizer and ${other} cannot be combined`, 'Leave one of them out.');
  if (!api.writesAnswers)
    throw new CommandError(
      'usage',
      `--tokenizer has no effect with the API ${api.name}, which generates no text`,
      'Leave it out.',
    );
  if (folder !== 'server')
    return { tokenizer: { kind: 'folder', path: isHubId(folder) ? folder : resolve(cwd, folder) } };
  return { tokenizer: { kind: 'server' } };
};
