// A model as a running server reports it, and the engine that runs it.

import { counted } from '../../core/figure/figure.ts';
import type { Engine } from '../../core/model/engine-constants.ts';
import type { ModelFacts } from '../../core/model/model-facts.ts';
import { ModelError } from '../byte-source.ts';

export interface ServersModel {
  readonly facts: ModelFacts;
  readonly engine: Engine;
}

export interface ModelQuestion {
  /** Ends in "/"; without "v1/". */
  readonly base: URL;
  /** For display: without a key. */
  readonly location: string;
  /** Which of several; undefined: the only one. */
  readonly model: string | undefined;
  /** Folder of the Hugging Face hub's local cache; undefined: there is none. */
  readonly hub: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws ModelError if there are several, none, or not the requested one. */
export const chosenName = ({ location, model }: ModelQuestion, names: readonly string[]): string => {
  const [only, ...others] = names;
  const chosen =
    model === undefined ? only : names.find(name => name === model || name === `${model}:latest`);
  if (chosen !== undefined && (model !== undefined || others.length === 0)) return chosen;
  const listed = names.slice(0, NAMES_SHOWN).join(', ');
  throw new ModelError({
    code: 'missing',
    problem:
      only === undefined
        ? `${location} has no model`
        : model === undefined
          ? `${location} has ${counted(names.length, 'model')}`
          : `${location} has no model ${JSON.stringify(model)}`,
    advice: only === undefined ? 'Load one there first.' : `--served NAME picks one: ${listed}`,
  });
};

export const reportedString = (
  reported: Readonly<Record<string, unknown>>,
  key: string,
): string | undefined => {
  const value = reported[key];
  return typeof value === 'string' && value !== '' ? value.slice(0, TEXT_LENGTH_MAX) : undefined;
};

/** From 0. */
export const reportedNumber = (
  reported: Readonly<Record<string, unknown>>,
  key: string,
): number | undefined => {
  const value = reported[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
};

const NAMES_SHOWN = 20;
const TEXT_LENGTH_MAX = 1_024;
