// `plimsoll dataset show FILE`: what is in a data set or a trace, before it is sent to anybody.

import { resolve } from 'node:path';
import { type DatasetDocument, type DatasetFacts, datasetFacts } from '../../bench/dataset/dataset-facts.ts';
import { readDatasetFile } from '../../bench/dataset/dataset-file.ts';
import type { Dataset } from '../../bench/dataset/prompt.ts';
import type { TraceFormat } from '../../bench/dataset/trace/trace.ts';
import { traceFormat } from '../../bench/dataset/trace/trace-file.ts';
import {
  counted,
  figureText,
  formatBytes,
  formatCount,
  formatFinePercent,
  ofCount,
} from '../../core/figure/figure.ts';
import { inColumns } from '../../core/text/columns.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { isHubId } from '../../model/hub-files.ts';
import { BENCH } from '../bench/bench-options.ts';
import { asBenchCommandError } from '../bench/bench-process.ts';
import { type Command, homeOption, type Invocation, jsonOption } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { hubDataset } from '../hub-inputs.ts';
import type { ProcessState } from '../process-state.ts';
import { lengthRow, shownTrace } from '../shown-trace.ts';
import { datasetMakeCommand } from './dataset-make.ts';

const showCommand: Command = {
  name: 'dataset show',
  summary: 'Show what is in a data set or a trace',
  description:
    'How many prompts, how long they are, which are the same, and how much of them a prefix cache could answer; of a trace also\nits time, sessions and pauses. Nothing is sent.',
  arguments: [{ name: 'FILE', meaning: 'What --dataset of bench takes.', isRequired: true }],
  options: [BENCH.promptColumn, homeOption, jsonOption],
  prints: ['dataset', 'trace'],
  examples: [
    { line: 'plimsoll dataset show sharegpt.json', meaning: 'counts, lengths, sharing' },
    { line: 'plimsoll dataset show mooncake_trace.jsonl', meaning: 'also the time that it spans' },
  ],
  run: async (invocation, state) => {
    const [file = ''] = invocation.arguments;
    try {
      await state.stdout.write(await shown(file, invocation, state));
    } catch (error) {
      throw asBenchCommandError(error);
    }
    return EXIT_CODES.ok.code;
  },
};

const shown = async (file: string, invocation: Invocation, state: ProcessState): Promise<string> => {
  const place = isHubId(file)
    ? await hubDataset(file, state)
    : { path: resolve(state.cwd, file), shownPath: file };
  const location = { ...place, signal: state.stop };
  const isJson = invocation.option(jsonOption);
  const column = invocation.option(BENCH.promptColumn);
  const format: TraceFormat | undefined = column === undefined ? await traceFormat(location) : undefined;
  if (format !== undefined) return await shownTrace(location, format, isJson);
  const dataset = await readDatasetFile({ ...location, column });
  const facts = datasetFacts(dataset);
  if (!isJson) return `${factLines(dataset, facts).join('\n')}\n`;
  const document: DatasetDocument = {
    schema: 'plimsoll.dataset/1',
    file,
    description: dataset.description,
    ...dataset.file,
    ...facts,
  };
  return jsonLines(document);
};

const factLines = ({ description, file }: Dataset, facts: DatasetFacts): readonly string[] => {
  const { prompts, words, characters, messages, maxTokens, maxTokensReported, identical } = facts;
  const rows = [
    ['', 'p50', 'p90', 'p99', 'max', 'all'],
    lengthRow('words', words),
    lengthRow('characters', characters),
    lengthRow('messages', messages),
    ...(maxTokens === undefined ? [] : [lengthRow('max_tokens', maxTokens)]),
  ];
  const share = figureText(formatFinePercent(facts.sharedPrefixShare));
  return [
    showable(description, ' '),
    ...(file === undefined ? [] : [`  ${figureText(formatBytes(file.bytes))}, sha256 ${file.sha256}`]),
    '',
    ...inColumns(rows).map(line => `  ${line}`),
    '',
    `  ${formatCount(identical)} of ${formatCount(prompts)} repeat an earlier prompt`,
    `  ${share} of all characters are in prefixes that prompts share: the most a prefix cache could save`,
    maxTokens === undefined
      ? '  none has a limit for the length of its answer'
      : `  ${formatCount(maxTokensReported)} of ${formatCount(prompts)} have a limit for the length of their answer`,
    ...(facts.partMessages === 0
      ? []
      : [
          `  ${counted(facts.partMessages, 'message')} ${ofCount(facts.partMessages, 'has', 'have')} parts, such as images, that are not counted here`,
        ]),
    '  Tokens are counted by the server: see the report of a run',
  ];
};

export const DATASET_COMMANDS: readonly Command[] = [showCommand, datasetMakeCommand];
