// `plimsoll dataset make FILE`: a data set that nobody had to write, for `--dataset` of bench and for other tools.

import { resolve } from 'node:path';
import { type ChosenLengths, chosenLengths } from '../../bench/dataset/length-choice.ts';
import { type MadePrefixes, type MadeRow, madeRows, tracedRows } from '../../bench/dataset/made-rows.ts';
import { readTrace } from '../../bench/dataset/trace/read-trace.ts';
import { traceFormat } from '../../bench/dataset/trace/trace-file.ts';
import { type MadeDataset, writeRows } from '../../bench/dataset/write-rows.ts';
import { counted, figureText, formatBytes, formatCount } from '../../core/figure/figure.ts';
import {
  choice,
  excludes,
  nonEmpty,
  type Option,
  type OptionReader,
  value,
} from '../../core/option/option.ts';
import { wholeNumberFrom } from '../../core/option/option-values.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { BENCH } from '../bench/bench-options.ts';
import { asBenchCommandError } from '../bench/bench-process.ts';
import { REQUEST_OPTIONS, requestSettingsOf } from '../bench/request-options.ts';
import { type Command, homeOption, type Invocation, jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { TRACE, tracePart } from '../trace-options.ts';

const countOption: Option<number | undefined> = value({
  name: 'count',
  valueName: 'N',
  meaning: 'How many prompts. Default: 1,000, or as many as the preset has.',
  parse: wholeNumberFrom(1, 1e9),
});

const presetOption: Option<keyof typeof PRESETS | undefined> = choice({
  name: 'preset',
  valueName: 'NAME',
  meaning:
    'The shared-prefix data sets of other tools: prefix_repetition (vLLM), generated-shared-prefix (SGLang). Other options override single values.',
  choices: ['prefix_repetition', 'generated-shared-prefix'],
});

const traceOption: Option<string | undefined> = value({
  name: 'trace',
  rules: [
    excludes(['count', 'input-tokens', 'output-tokens', 'prefix-tokens', 'prefixes', 'preset'], {
      advice: 'A trace contains the lengths of its prompts.',
    }),
  ],
  valueName: 'FILE',
  meaning: 'The prompts of a trace, in its order: equal prefixes are equal bytes.',
  parse: nonEmpty,
});

export const datasetMakeCommand: Command = {
  name: 'dataset make',
  summary: 'Generate a data set',
  description:
    'Writes prompts and the lengths of their answers as JSONL: with lengths drawn from a seed, with shared prefixes, or from a\ntrace. One word counts as one token. Equal seeds give equal bytes.',
  arguments: [{ name: 'FILE', meaning: 'The file to write; it must not exist.', isRequired: true }],
  options: [
    countOption,
    REQUEST_OPTIONS.inputTokens,
    REQUEST_OPTIONS.outputTokens,
    REQUEST_OPTIONS.prefixTokens,
    REQUEST_OPTIONS.prefixes,
    presetOption,
    traceOption,
    ...Object.values(TRACE),
    BENCH.seed,
    homeOption,
    jsonOption,
  ],
  prints: ['made-dataset'],
  examples: [
    {
      line: "plimsoll dataset make chat.jsonl --input-tokens 'lognormal(800,600)' --output-tokens 50..400",
      meaning: 'drawn lengths',
    },
    {
      line: 'plimsoll dataset make shared.jsonl --preset generated-shared-prefix',
      meaning: 'prefixes as SGLang has them',
    },
    {
      line: 'plimsoll dataset make blocks.jsonl --trace mooncake_trace.jsonl',
      meaning: 'text of recorded blocks',
    },
  ],
  run: async (invocation, state) => {
    const [file = ''] = invocation.arguments;
    const seed = invocation.option(BENCH.seed);
    try {
      const { rows, dropped } = await wantedRows(invocation, state, seed);
      const written = await writeRows(rows, {
        path: resolve(state.cwd, file),
        shownPath: file,
        signal: state.stop,
      });
      const reported: MadeDataset = { schema: 'plimsoll.made-dataset/1', file, seed, ...written, dropped };
      const lines = [
        showable(
          `${file}: ${counted(written.rows, 'prompt')}, ${figureText(formatBytes(written.bytes))}, seed ${seed}`,
          ' ',
        ),
        `  sha256 ${written.sha256}`,
        ...(dropped === 0
          ? []
          : [`  ${formatCount(dropped)} left out, so that each prefix has the same number`]),
        '  One word counts as one token: the report of a run has what a server counted',
        '  To let a prefix cache answer what they share: bench --no-nonce',
      ];
      await state.stdout.write(invocation.option(jsonOption) ? jsonLines(reported) : `${lines.join('\n')}\n`);
    } catch (error) {
      throw asBenchCommandError(error);
    }
    return EXIT_CODES.ok.code;
  },
};

interface WantedRows {
  readonly rows: Iterable<MadeRow>;
  /** Of those asked for. */
  readonly dropped: number;
}

const wantedRows = async (
  invocation: Invocation,
  { cwd, stop }: ProcessState,
  seed: number,
): Promise<WantedRows> => {
  const given = <T>(option: Option<T>): T => invocation.option(option);
  const trace = given(traceOption);
  if (trace === undefined) return await lengthRows(given, cwd, seed);
  const location = {
    path: resolve(cwd, trace),
    shownPath: trace,
    signal: stop,
    bytesMax: Number.POSITIVE_INFINITY,
  };
  const format = await traceFormat(location);
  if (format === undefined)
    throw new CommandError(
      'benchInput',
      `${trace} is not a trace in a known format`,
      'The formats are in docs/datasets.md.',
    );
  const read = await readTrace(location, format, { part: tracePart(given), seed });
  return { rows: tracedRows(read, seed), dropped: 0 };
};

const lengthRows = async (given: OptionReader, cwd: string, seed: number): Promise<WantedRows> => {
  const name = given(presetOption);
  const preset = name === undefined ? undefined : PRESETS[name];
  // A preset has prefixes of its own, of which options may change one figure alone.
  const ofRequests = <T>(option: Option<T>): T => {
    const unset = preset !== undefined && OF_PREFIXES.includes(option) ? option.read([]) : undefined;
    return unset?.kind === 'ok' ? unset.value : given(option);
  };
  const options = requestSettingsOf(ofRequests, { cwd });
  const input =
    options.inputTokens === undefined
      ? fixed(preset?.input ?? INPUT_TOKENS)
      : await chosenLengths(options.inputTokens);
  const output =
    options.outputTokens === undefined
      ? preset === undefined
        ? undefined
        : fixed(preset.output)
      : await chosenLengths(options.outputTokens);
  const prefixes: MadePrefixes | undefined =
    preset === undefined
      ? options.prefixes && { ...options.prefixes, isShuffled: false }
      : {
          count: given(REQUEST_OPTIONS.prefixes) ?? preset.prefixes,
          tokens: given(REQUEST_OPTIONS.prefixTokens) ?? preset.prefixTokens,
          isShuffled: true,
        };
  const requested = given(countOption) ?? preset?.count ?? COUNT;
  const count = prefixes?.isShuffled === true ? requested - (requested % prefixes.count) : requested;
  if (count === 0)
    throw new CommandError(
      'usage',
      `--count ${requested} is less than a prompt for each prefix`,
      'Write a larger one, or fewer --prefixes.',
    );
  return { rows: madeRows({ seed, count, input, output, prefixes }), dropped: requested - count };
};

const fixed = (tokens: number): ChosenLengths => ({
  distribution: { kind: 'fixed', value: tokens },
  text: String(tokens),
});

/** vllm/benchmarks/datasets.py PrefixRepetitionRandomDataset; sglang bench_serving.py generated-shared-prefix. Both shuffle. */
const PRESETS = {
  prefix_repetition: { prefixes: 10, prefixTokens: 256, input: 256, output: 128, count: 1_000 },
  'generated-shared-prefix': { prefixes: 64, prefixTokens: 2_048, input: 128, output: 256, count: 1_024 },
} as const;

const OF_PREFIXES: readonly Option<unknown>[] = [REQUEST_OPTIONS.prefixTokens, REQUEST_OPTIONS.prefixes];
const COUNT = 1_000;
const INPUT_TOKENS = 128;
