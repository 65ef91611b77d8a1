// The answers that a run kept on disk for a tokenizer, one after the other.

import { parseAnyJson } from '../../core/json.ts';
import { fileLines } from '../../metrics/file-lines.ts';

interface WrittenAnswer {
  readonly sampleId: number;
  readonly text: string;
}

/** What was cut off is left out, and counts as not counted. @throws the system's error where the file cannot be read. */
export async function* answerLines(path: string): AsyncGenerator<WrittenAnswer> {
  for await (const line of fileLines(path, { lineBytesMax: ANSWER_LINE_BYTES_MAX })) {
    const entry = line.kind === 'line' ? parseAnyJson(line.text) : undefined;
    if (!Array.isArray(entry)) continue;
    const [sampleId, text] = entry;
    if (typeof sampleId === 'number' && typeof text === 'string') yield { sampleId, text };
  }
}

/** An answer's bound, with each character escaped at its longest. */
const ANSWER_LINE_BYTES_MAX: number = 8_388_608;
