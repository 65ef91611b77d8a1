// Data sets and tokenizers that are named by their id on a hub: they become files of its local cache before anything else is read.

import { join } from 'node:path';
import type { BenchRequest } from '../bench/run/bench-request.ts';
import { systemClock } from '../clock/system-clock.ts';
import { counted, figureText, formatBytes } from '../core/figure/figure.ts';
import { HubError } from '../model/hub-download.ts';
import { type HubFiles, hubFiles, isHubId, parseHubId } from '../model/hub-files.ts';
import { endedBy, usage } from './command-error.ts';
import type { ProcessState } from './process-state.ts';

type Inputs = Pick<BenchRequest, 'dataset' | 'tokenizer'>;

/** The same, with files. @throws CommandError */
export const withHubInputs = async <Given extends Inputs>(
  given: Given,
  state: ProcessState,
): Promise<Given> => {
  const { dataset, tokenizer } = given;
  return {
    ...given,
    ...(dataset.kind === 'file' && isHubId(dataset.shownPath)
      ? { dataset: { ...dataset, ...(await hubDataset(dataset.shownPath, state)) } }
      : {}),
    ...(tokenizer?.kind === 'folder' && isHubId(tokenizer.path)
      ? { tokenizer: { kind: 'folder', path: await hubTokenizer(tokenizer.path, state) } }
      : {}),
  };
};

/** Its file, and how a report names it: with the commit, and so exactly. @throws CommandError */
export const hubDataset = async (
  text: string,
  state: ProcessState,
): Promise<{ readonly path: string; readonly shownPath: string }> => {
  const { id, folder, revision, names } = await filesOf(text, state, {
    kind: 'datasets',
    input: 'dataset',
    choose: (all, path) => [path ?? onlyData(text, all)],
  });
  return { path: join(folder, names[0]), shownPath: `hf:${id}@${revision}:${names[0]}` };
};

const hubTokenizer = async (text: string, state: ProcessState): Promise<string> => {
  const { folder } = await filesOf(text, state, {
    kind: 'models',
    input: 'tokenizer',
    choose: () => ['tokenizer.json', 'tokenizer_config.json'],
  });
  return folder;
};

/** The one file that can be a data set. */
const onlyData = (text: string, names: readonly string[]): string => {
  const data = names.filter(name => DATA.test(name));
  const [first, ...others] = data;
  if (first !== undefined && others.length === 0) return first;
  throw new HubError({
    code: 'hub',
    problem:
      first === undefined
        ? `${text} has no file of JSONL, JSON, CSV or Parquet`
        : `${text} has ${counted(data.length, 'file')} that may be meant: ${data.slice(0, NAMES_SHOWN).join(', ')}${data.length > NAMES_SHOWN ? ', …' : ''}`,
    advice: `Name one: ${text}:${first ?? 'FILE'}`,
  });
};

interface Wanted {
  readonly kind: 'datasets' | 'models';
  readonly input: 'dataset' | 'tokenizer';
  readonly choose: (names: readonly string[], path: string | undefined) => readonly [string, ...string[]];
}

const filesOf = async (
  text: string,
  { env, stop: signal, stderr }: ProcessState,
  { choose, ...wanted }: Wanted,
): Promise<HubFiles & { readonly id: string }> => {
  const read = parseHubId(text);
  if (read.kind === 'wrong') throw usage(read.problem, read.advice);
  const { id, path } = read.value;
  try {
    const files = await hubFiles(
      { ...read.value, ...wanted, choose: names => choose(names, path) },
      {
        env,
        clock: systemClock,
        signal,
        progress: (name, received, total) => {
          const [part, whole] = [received, total].map(bytes => figureText(formatBytes(bytes)));
          void stderr.write(`plimsoll: hf:${id}:${name}: ${part} of ${whole}\n`);
        },
      },
    );
    return { ...files, id };
  } catch (error) {
    throw error instanceof HubError ? endedBy('benchInput', error) : error;
  }
};

const DATA = /\.(?:jsonl|json|csv|parquet)$/i;
const NAMES_SHOWN = 6;
