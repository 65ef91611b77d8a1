// `--name` and `--tag`: labels by which a person finds a run again.

import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { optionsIn } from '../../core/option/option.ts';
import {
  RUN_NAME_LENGTH_MAX,
  type RunTags,
  TAG_KEY,
  TAG_VALUE_LENGTH_MAX,
  TAGS_MAX,
} from '../../core/run/run-shape.ts';
import { isSecretName, looksSecret } from '../../core/text/secret-look.ts';
import { showable } from '../../core/text/single-line.ts';
import type { Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';

const { repeated, value } = optionsIn('Output');

export interface GivenTag {
  readonly key: string;
  readonly value: string;
}

export const NAMES = {
  name: value({
    name: 'name',
    valueName: 'TEXT',
    meaning: 'A name for the run, to find it again.',
    parse: text =>
      looksSecret(text)
        ? storedSecret('a name')
        : isShowable(text, RUN_NAME_LENGTH_MAX)
          ? parsed(text)
          : wrong(
              'the name is empty, too long or not one line',
              `Write up to ${RUN_NAME_LENGTH_MAX} characters.`,
            ),
  }),
  tag: repeated<GivenTag>({
    name: 'tag',
    valueName: 'K=V',
    meaning: 'A tag for the run: --tag engine=vllm; plimsoll runs --tag engine=vllm lists them.',
    parse: text => {
      const at = text.indexOf('=');
      const [key, value] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
      if (isSecretName(key) || looksSecret(value)) return storedSecret('a tag');
      return TAG_KEY.test(key) && isShowable(value, TAG_VALUE_LENGTH_MAX)
        ? parsed({ key, value })
        : wrong(
            `${JSON.stringify(text.slice(0, 60))} is not a tag`,
            'Write KEY=VALUE, the key of letters, digits, ".", "_" and "-", a letter first: engine=vllm',
          );
    },
  }),
};

/** @throws CommandError `usage` for a key that is given twice, and for too many. */
export const runTags = (given: readonly GivenTag[]): RunTags => {
  const tags: Record<string, string> = {};
  for (const { key, value } of given) {
    if (Object.hasOwn(tags, key)) {
      throw new CommandError('usage', `--tag ${key} is given twice`, 'Use each key once.');
    }
    tags[key] = value;
  }
  if (given.length <= TAGS_MAX) return tags;
  throw new CommandError('usage', `${given.length} tags are too many`, `Use at most ${TAGS_MAX}.`);
};

export const nameAndTags = (
  invocation: Invocation,
): { readonly name: string | undefined; readonly tags: RunTags } => ({
  name: invocation.option(NAMES.name),
  tags: runTags(invocation.option(NAMES.tag)),
});

/** It is not repeated. */
const storedSecret = (what: string): Parsed<never> =>
  wrong(
    `${what} that looks like a secret is refused, because it is stored with the run`,
    'Give keys with --header-file FILE or --api-key-file FILE.',
  );

/** One line without terminal control sequences. */
const isShowable = (text: string, lengthMax: number): boolean =>
  text.trim() !== '' && text.length <= lengthMax && showable(text, '?') === text;
