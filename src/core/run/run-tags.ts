// Name and tags of a run: what a person says of it, to find it among others.

import { isUnknown, type Reported } from '../unknown.ts';

/** "engine" to "vllm 0.11". */
export type RunTags = Readonly<Record<string, string>>;

export const RUN_NAME_LENGTH_MAX = 100;
export const TAGS_MAX = 16;
export const TAG_KEY_LENGTH_MAX = 40;
export const TAG_VALUE_LENGTH_MAX = 100;

/** A letter first, so that no tag has the name of something that every object has in numbers, or looks like an option. */
export const TAG_KEY: RegExp = /^[a-zA-Z][a-zA-Z0-9_.-]{0,39}$/;

/** "before the update · engine=vllm"; '' where there is nothing to say. */
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
