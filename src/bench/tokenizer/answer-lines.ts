// Reads the answers that a run stored on disk for a tokenizer, one after another.

import { parseAnyJson } from '../../core/json.ts';
import { fileLines } from '../../metrics/file-lines.ts';

interface WrittenAnswer {
  readonly sampleId: number;
  readonly text: string;
}

/** A truncated line is left out, and counts as not counted. @throws the system's error if the file cannot be read. */
export async function* answerLines(path: string): AsyncGenerator<WrittenAnswer> {
  for await (const line of fileLines(path, { lineBytesMax: ANSWER_LINE_BYTES_MAX })) {
    const entry = line.kind === 'line' ? parseAnyJson(line.text) : undefined;
    if (!Array.isArray(entry)) continue;
    const [sampleId, text] = entry;
    if (typeof sampleId === 'number' && typeof text === 'string') yield { sampleId, text };
  }
}

/** Limit of an answer, with each character in its longest escape. */
const ANSWER_LINE_BYTES_MAX: number = 8_388_608;
