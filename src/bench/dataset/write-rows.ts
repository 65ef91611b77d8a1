// Writes rows as JSONL under a temporary name first, so that a file of the requested name is always complete.

import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { count, type Infer } from '../../core/schema.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { BenchError } from '../bench-error.ts';
import { DatasetDigest, type DatasetLocation } from './dataset-chunks.ts';
import type { MadeRow } from './made-rows.ts';

/** What `plimsoll dataset make --json` prints. */
export const madeDatasetSchema = v.object({
  schema: v.literal('plimsoll.made-dataset/1'),
  file: v.string(),
  seed: count,
  rows: count,
  bytes: count,
  sha256: v.string(),
  dropped: v.pipe(
    count,
    v.description('Prompts that were requested and left out, so that each prefix has the same number.'),
  ),
});

export type MadeDataset = Infer<typeof madeDatasetSchema>;

type WrittenRows = Pick<MadeDataset, 'rows' | 'bytes' | 'sha256'>;

/** @throws BenchError `input` if the file exists already, or cannot be written; the signal's reason. */
export const writeRows = async (
  rows: Iterable<MadeRow>,
  { path, shownPath, signal }: DatasetLocation,
): Promise<WrittenRows> => {
  if (await isThere(path))
    throw new BenchError({
      code: 'input',
      problem: `${shownPath} is there already`,
      advice: 'Choose another name, or remove it.',
    });
  const digest = new DatasetDigest();
  const made = { rows: 0 };
  const part = `${path}.part`;
  try {
    await pipeline(Readable.from(parts(rows, digest, made)), createWriteStream(part), { signal });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    if (signal.aborted || error instanceof BenchError) throw error;
    throw new BenchError(
      {
        code: 'input',
        problem: `${shownPath} cannot be written: ${diskReason(error)}`,
        advice: 'Choose another path.',
      },
      { cause: error },
    );
  }
  return { rows: made.rows, ...digest.result() };
};

function* parts(
  rows: Iterable<MadeRow>,
  digest: DatasetDigest,
  made: { rows: number },
): Generator<Buffer, void, void> {
  let text = '';
  for (const row of rows) {
    text += `${JSON.stringify(row)}\n`;
    made.rows += 1;
    if (text.length < PART_LENGTH) continue;
    yield counted(text, digest);
    text = '';
  }
  if (text !== '') yield counted(text, digest);
}

const counted = (text: string, digest: DatasetDigest): Buffer => {
  const bytes = Buffer.from(text, 'utf8');
  digest.add(bytes);
  return bytes;
};

const isThere = async (path: string): Promise<boolean> =>
  await stat(path).then(
    () => true,
    () => false,
  );

const PART_LENGTH = 65_536;
