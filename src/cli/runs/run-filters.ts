// The filters of `plimsoll runs`: its options, and the runs that match them. A filter for several runs matches only if all of
// it matches.

import { parsed, wrong } from '../../core/figure/parse-figure.ts';
import { choice, nonEmpty, type Option, repeated, value } from '../../core/option/option.ts';
import { duration } from '../../core/option/option-values.ts';
import { type RunTags, TAG_KEY } from '../../core/run/run-shape.ts';
import type { Invocation } from '../command.ts';
import { FOUND_STATES, type FoundRun } from './found-runs.ts';

interface WantedTag {
  readonly key: string;
  /** undefined: any. */
  readonly value: string | undefined;
}

export const RUN_FILTERS = {
  name: value({
    name: 'name',
    valueName: 'TEXT',
    meaning: 'Only runs whose name contains this.',
    parse: nonEmpty,
  }),
  tag: repeated<WantedTag>({
    name: 'tag',
    valueName: 'K[=V]',
    meaning: 'Only runs with this tag.',
    parse: text => {
      const at = text.indexOf('=');
      const key = at < 0 ? text : text.slice(0, at);
      return TAG_KEY.test(key)
        ? parsed({ key, value: at < 0 ? undefined : text.slice(at + 1) })
        : wrong(`${JSON.stringify(text.slice(0, 60))} is not a tag`, 'Write KEY or KEY=VALUE: engine=vllm');
    },
  }),
  model: value({
    name: 'model',
    valueName: 'TEXT',
    meaning: 'Only runs of a model with this in its name.',
    parse: nonEmpty,
  }),
  target: value({
    name: 'target',
    valueName: 'TEXT',
    meaning: 'Only runs of a target with this in its URL.',
    parse: nonEmpty,
  }),
  state: choice({
    name: 'state',
    meaning: 'Only runs in this state.',
    choices: FOUND_STATES,
  }),
  olderThan: value({
    name: 'older-than',
    valueName: 'D',
    meaning: 'Only runs that began at least this long ago: 30d.',
    parse: duration(1, 3_650 * 86_400_000),
  }),
};

export const FILTER_OPTIONS: readonly Option<unknown>[] = Object.values(RUN_FILTERS);

export const hasFilter = (invocation: Invocation): boolean =>
  invocation.option(RUN_FILTERS.tag).length > 0 ||
  [RUN_FILTERS.name, RUN_FILTERS.model, RUN_FILTERS.target, RUN_FILTERS.state, RUN_FILTERS.olderThan].some(
    (option: Option<unknown>) => invocation.option(option) !== undefined,
  );

/** What it asks, once for all runs. */
export const runFilter = (invocation: Invocation, nowWallMs: number): ((found: FoundRun) => boolean) => {
  const name = invocation.option(RUN_FILTERS.name);
  const tags = invocation.option(RUN_FILTERS.tag);
  const model = invocation.option(RUN_FILTERS.model);
  const target = invocation.option(RUN_FILTERS.target);
  const state = invocation.option(RUN_FILTERS.state);
  const olderThan = invocation.option(RUN_FILTERS.olderThan);
  return found =>
    (name === undefined || has(found.name, name)) &&
    tags.every(({ key, value: wanted }) => hasTag(found.tags, key, wanted)) &&
    (model === undefined || has(found.model, model)) &&
    (target === undefined || has(found.target, target)) &&
    (state === undefined || found.state === state) &&
    (olderThan === undefined || nowWallMs - Date.parse(found.startedAt) >= olderThan);
};

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

const hasTag = (tags: RunTags, key: string, wanted: string | undefined): boolean =>
  Object.hasOwn(tags, key) && (wanted === undefined || tags[key] === wanted);
