// `--stages`: a load that moves while it is measured, written on the command line or in a file. Either way each stage has a
// level, how long it takes, and whether the load is at that level at once or moves there.

import { resolve } from 'node:path';
import * as v from 'valibot';
import { parseToml, plainValue } from '../../config/toml-document.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { duration, requestRate, wholeNumberFrom } from '../../core/option/option-values.ts';
import { errorCode } from '../../core/problem.ts';
import { LOAD_STEPS_MAX, type LoadStep } from '../../core/run/run-shape.ts';
import { firstLine } from '../../core/text/single-line.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { readInputText } from '../../process/input-file.ts';
import { CommandError } from '../command-error.ts';

export interface LoadStages {
  readonly by: 'rate' | 'concurrency';
  readonly steps: readonly LoadStep[];
}

/**
 * What `--stages` was given: "rate=5:30s,5..20:1m", or a file.
 * @throws CommandError `usage` for a text that is none, `benchInput` for a file.
 */
export const readLoadStages = async (text: string, cwd: string): Promise<LoadStages> => {
  const [, by, list] = /^(rate|concurrency)=(.*)$/s.exec(text) ?? [];
  if (by === 'rate' || by === 'concurrency') return taken(stagesOf(by, list ?? ''), 'usage', '--stages');
  return taken(fileStages(await contentOf(resolve(cwd, text), text)), 'benchInput', text);
};

const taken = (stages: Parsed<LoadStages>, exit: 'usage' | 'benchInput', where: string): LoadStages => {
  if (stages.kind === 'ok') return stages.value;
  throw new CommandError(exit, `${where}: ${stages.problem}`, stages.advice);
};

const stagesOf = (by: LoadStages['by'], list: string): Parsed<LoadStages> => {
  const steps: LoadStep[] = [];
  for (const item of list.split(',')) {
    const [, from, moves, to = '', lasts = ''] =
      /^\s*(?:(\d[\d.]*?)?(\.\.))?(\d+(?:\.\d+)?):(\S+)\s*$/.exec(item) ?? [];
    if (to === '') {
      return wrong(
        `${JSON.stringify(item.slice(0, 40))} is not a stage`,
        `Write LEVEL:DURATION, or FROM..TO:DURATION for a level that moves: --stages ${by}=4:30s,4..16:1m`,
      );
    }
    const before = steps.at(-1)?.to ?? 0;
    const step = stepOf(by, { from: moves === undefined ? to : (from ?? before), to, lasts });
    if (step.kind === 'wrong') return step;
    steps.push(step.value);
  }
  return whole({ by, steps });
};

/** Parses one stage, from the command line or from TOML. */
const stepOf = (
  by: LoadStages['by'],
  {
    from,
    to,
    lasts,
  }: { readonly from: string | number | undefined; readonly to: string | number; readonly lasts: string },
): Parsed<LoadStep> => {
  const length = duration(1, 7 * 86_400_000)(lasts);
  if (length.kind === 'wrong') return length;
  const [first, last] = [levelOf(by, from ?? to), levelOf(by, to)];
  if (first.kind === 'wrong') return first;
  if (last.kind === 'wrong') return last;
  return parsed({ from: first.value, to: last.value, durationMs: length.value });
};

/** A stage may be a pause. */
const levelOf = (by: LoadStages['by'], level: string | number): Parsed<number> => {
  const text = String(level);
  if (Number(text) === 0 && text !== '') return parsed(0);
  return by === 'rate' ? requestRate(text) : wholeNumberFrom(1, 20_000)(text);
};

const whole = (stages: LoadStages): Parsed<LoadStages> => {
  const { steps } = stages;
  if (steps.length > LOAD_STEPS_MAX) {
    return wrong(`${steps.length} stages are too many`, `Use at most ${LOAD_STEPS_MAX}.`);
  }
  return steps.some(({ from, to }) => from > 0 || to > 0)
    ? parsed(stages)
    : wrong('no stage sends anything', 'Give one of them a level above 0.');
};

const fileStages = (content: string): Parsed<LoadStages> => {
  const document = parseToml(content);
  if (document.kind === 'broken') {
    const line = content.slice(0, document.offset).split('\n').length;
    return wrong(`line ${line}: ${firstLine(document.problem)}`, EXAMPLE);
  }
  const entries = [...document.entries].map(([key, node]) => [key, plainValue(node)] as const);
  const read = v.safeParse(FILE, Object.fromEntries(entries));
  if (!read.success) {
    const [issue] = read.issues;
    return wrong(`${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`, EXAMPLE);
  }
  const { stage } = read.output;
  const by = stage.every(({ rate }) => rate !== undefined)
    ? 'rate'
    : stage.every(({ concurrency }) => concurrency !== undefined)
      ? 'concurrency'
      : undefined;
  if (by === undefined || stage.some(one => one.rate !== undefined && one.concurrency !== undefined)) {
    return wrong(
      'stages need either a rate each or a concurrency each',
      'A run has one kind of load: write two files, and run them one after the other.',
    );
  }
  const steps: LoadStep[] = [];
  for (const { move, duration: lasts, ...level } of stage) {
    const from = move === 'linear' ? (steps.at(-1)?.to ?? 0) : undefined;
    const step = stepOf(by, { from, to: level[by] ?? 0, lasts });
    if (step.kind === 'wrong') return step;
    steps.push(step.value);
  }
  return whole({ by, steps });
};

const contentOf = async (path: string, shown: string): Promise<string> => {
  try {
    return await readInputText(path, 'stages');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new CommandError(
      'benchInput',
      `--stages ${shown}: ${fileReason(error)}`,
      'Give a file, or the stages themselves: --stages rate=5:30s,5..20:1m',
      { cause: error },
    );
  }
};

const level = v.exactOptional(v.number('must be a number'));

const FILE = v.strictObject({
  stage: v.pipe(
    v.array(
      v.strictObject({
        rate: level,
        concurrency: level,
        duration: v.string('must be a duration in quotes: "30s"'),
        move: v.exactOptional(v.picklist(['step', 'linear'], 'must be "step" or "linear"'), 'step'),
      }),
      'must be tables: [[stage]]',
    ),
    v.minLength(1),
  ),
});

const EXAMPLE =
  'Write for each stage: [[stage]], rate = 5, duration = "30s", and move = "linear" for a ramp.';
