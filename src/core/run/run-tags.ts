// Name and tags of a run: how a person identifies it among others.

import { isUnknown, type Reported } from '../unknown.ts';

/** "engine" to "vllm 0.11". */
export type RunTags = Readonly<Record<string, string>>;

export const RUN_NAME_LENGTH_MAX = 100;
export const TAGS_MAX = 16;
export const TAG_KEY_LENGTH_MAX = 40;
export const TAG_VALUE_LENGTH_MAX = 100;

/**
 * A letter first, so that no tag has the name of an inherited property or of an array index, or looks like an
 * option.
 */
export const TAG_KEY: RegExp = /^[a-zA-Z][a-zA-Z0-9_.-]{0,39}$/;

/** "before the update · engine=vllm"; '' if there are none. */
export const nameLabel = (run: {
  readonly name: Reported<string>;
  readonly tags: Reported<RunTags>;
}): string =>
  [...(isUnknown(run.name) ? [] : [run.name]), ...(isUnknown(run.tags) ? [] : tagTexts(run.tags))].join(
    ' · ',
  );

/** "engine=vllm", in the order in which they were given. */
export const tagTexts = (tags: RunTags): readonly string[] =>
  Object.entries(tags).map(([key, value]) => `${key}=${value}`);
