// Data sets and traces of the person's own, by format and in chunks that are cut anywhere, and files of other tools to import.

import { KnownPrefixes } from '../../../src/bench/capture/known-prefixes.ts';
import { csvEntries } from '../../../src/bench/dataset/formats/csv-entries.ts';
import { type DatasetEntry, EntryError } from '../../../src/bench/dataset/formats/dataset-entry.ts';
import { jsonArrayEntries } from '../../../src/bench/dataset/formats/json-array-entries.ts';
import { jsonObjectEntries } from '../../../src/bench/dataset/formats/json-object-entries.ts';
import { jsonlEntries } from '../../../src/bench/dataset/formats/jsonl-entries.ts';
import { readRow } from '../../../src/bench/dataset/read-row.ts';
import { agenticEntry } from '../../../src/bench/dataset/trace/agentic-trace.ts';
import { capturedEntry } from '../../../src/bench/dataset/trace/captured-trace.ts';
import { azureEntry, burstGptEntry } from '../../../src/bench/dataset/trace/csv-traces.ts';
import { mooncakeEntry } from '../../../src/bench/dataset/trace/mooncake-trace.ts';
import { readPrompt } from '../../../src/bench/target/api/read-prompt.ts';
import { ForeignFileError } from '../../../src/report/imported/foreign-file.ts';
import { readForeignRuns } from '../../../src/report/imported/read-foreign-runs.ts';
import { DecodeError } from '../../../src/wire/decode-error.ts';
import { parseJson as parseConfigJson } from '../../../src/wire/stored-json.ts';
import { detailedVllm, writtenAs } from '../../report/imported/foreign-texts.ts';
import { captureLines } from '../../support/made-up-trace.ts';
import { holdFinite } from '../believed.ts';
import {
  type FuzzTarget,
  firstByteChooses,
  holdEqual,
  type Reader,
  textOfInput,
  textSeeds,
} from '../fuzz-target.ts';

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

type Entries = (chunks: AsyncIterable<Buffer>) => AsyncIterable<DatasetEntry>;

const listed = async (entries: AsyncIterable<DatasetEntry>): Promise<unknown[]> => {
  const all: unknown[] = [];
  try {
    for await (const entry of entries) {
      all.push(entry);
      // A run stops at the first row that is wrong: reading 30,000 of them would only cost what nobody waits for.
      if (all.length < ROWS_READ_MOST) all.push(readRow(entry, undefined), readRow(entry, 'question', true));
    }
  } catch (error) {
    if (!(error instanceof EntryError) || error.message === '' || error.advice === '') throw error;
    // Of two things wrong on one line, which is met first depends on the chunks.
    all.push(error.line);
  }
  return all;
};

/** The first byte selects how the file is split into chunks; what is read is the same. */
const reads = (entries: Entries, ...seeds: readonly string[]): Reader => ({
  seeds: textSeeds(...seeds.map(seed => `\u0005${seed}`)),
  run: async input => {
    const bytes = input.subarray(1);
    const whole = await listed(entries(inChunks(bytes, Math.max(1, bytes.length))));
    const size = Math.max(1 + (input[0] ?? 0), Math.ceil(bytes.length / CHUNKS_MOST));
    holdEqual('entries in chunks', await listed(entries(inChunks(bytes, size))), whole);
  },
});

const ROWS_READ_MOST = 200;
const CHUNKS_MOST = 2_048;

const ROWS = [
  '{"prompt": "Why is the sky blue?", "max_tokens": 5}',
  '{"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": [{"type": "text", "text": "y"}]}]}',
  '{"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]}',
  '{"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": [{"role": "user", "content": "y"}]}}',
];
const vllm = await detailedVllm();
const foreign = [await writtenAs('vllm'), await writtenAs('guidellm'), await writtenAs('aiperf')];

export const target: FuzzTarget = {
  name: 'datasets',
  covers: [
    'src/bench/dataset/formats/csv-entries.ts',
    'src/bench/dataset/formats/csv-entries.ts',
    'src/bench/dataset/formats/json-array-entries.ts',
    'src/bench/dataset/formats/json-object-entries.ts',
    'src/bench/dataset/formats/jsonl-entries.ts',
    'src/bench/dataset/formats/open-object.ts',
    'src/bench/dataset/formats/openai-batch-row.ts',
    'src/bench/dataset/formats/sharegpt-row.ts',
    'src/bench/dataset/read-row.ts',
    'src/bench/dataset/trace/agentic-trace.ts',
    'src/bench/dataset/trace/captured-trace.ts',
    'src/bench/dataset/trace/csv-traces.ts',
    'src/bench/dataset/trace/mooncake-trace.ts',
    'src/report/imported',
  ],
  isRefusal: error =>
    (error instanceof ForeignFileError && error.problem.advice !== '') || error instanceof DecodeError,
  ...firstByteChooses([
    reads(jsonlEntries, ROWS.join('\n')),
    reads(jsonArrayEntries, `[${ROWS.join(',\n')}]`),
    reads(chunks => jsonObjectEntries(chunks, { bytesMax: 1_048_576 }), ROWS.join(' ')),
    reads(csvEntries, 'prompt,max_tokens\n"a ""b""\nc",5\nplain,\n', '\ufeffquestion;x\r\na;b\r\n'),
    {
      seeds: textSeeds(
        '{"timestamp": 0, "input_length": 600, "output_length": 52, "hash_ids": [1, 2]}',
        '{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47, 48]}',
      ),
      run: input => holdFinite(mooncakeEntry(textOfInput(input), 1)),
    },
    {
      seeds: textSeeds(
        '{"id": "s", "models": ["m"], "block_size": 64, "tool_tokens": 1, "system_tokens": 2, "requests": [{"t": 0.0, "type": "n", "model": "m", "in": 100, "out": 5, "hash_ids": [1, 2]}]}',
      ),
      run: input => holdFinite(agenticEntry(textOfInput(input), 1)),
    },
    {
      seeds: textSeeds(...captureLines({ seed: 1, requests: 2 })),
      run: input => holdFinite(capturedEntry(textOfInput(input), 1, {})),
    },
    {
      seeds: textSeeds(
        '{"model":"m","stream":true,"tools":[{"type":"function"}],"messages":[{"role":"system","content":"a b"},{"role":"user","content":[{"type":"text","text":"c"}]}]}',
        '{"prompt":[1,2,3],"system":"s","context":[4]}',
      ),
      run: input => {
        const prompt = readPrompt(textOfInput(input), { framing: 'events' });
        const pieces = new KnownPrefixes().piecesOf(prompt?.parts ?? []);
        if (prompt !== undefined && pieces.length === 0) throw new Error('a prompt without pieces');
        holdFinite(pieces);
      },
    },
    {
      seeds: textSeeds('2023-11-16 18:15:46.6805900,374,44', '5,ChatGPT,472,18,490,Conversation log'),
      run: input => {
        const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] =
          textOfInput(input).split(',');
        holdFinite(azureEntry({ TIMESTAMP: first, ContextTokens: second, GeneratedTokens: third }, 1));
        holdFinite(
          burstGptEntry(
            {
              Timestamp: first,
              Model: second,
              'Request tokens': third,
              'Response tokens': fourth,
              'Total tokens': fifth,
              'Log Type': sixth,
            },
            1,
          ),
        );
      },
    },
    {
      seeds: textSeeds(vllm.slice(0, 200), ...foreign.filter(text => text.length < 40_000)),
      run: input =>
        holdFinite(
          readForeignRuns(textOfInput(input), { beside: undefined, writtenAt: '2026-01-31T14:25:01.000Z' }),
        ),
    },
    {
      seeds: textSeeds(vllm),
      run: input =>
        holdFinite(
          readForeignRuns(textOfInput(input), {
            beside: textOfInput(input.subarray(0, 400)),
            writtenAt: '2026-01-31T14:25:01.000Z',
          }),
        ),
    },
    { seeds: textSeeds('{"a": 1}'), run: input => parseConfigJson(textOfInput(input), 'config.json') },
  ]),
};
