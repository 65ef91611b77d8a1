// A sequence of JSON objects, in a list or not, each on one line or on many: split by braces and quotation marks
// alone, so that a file of any size is never whole in memory. JSON.parse validates each object.

import { type DatasetEntry, EntryError } from './dataset-entry.ts';
import { OPEN_OBJECT, OpenObject } from './open-object.ts';

/** @throws EntryError */
export async function* jsonObjectEntries(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { bytesMax }: { readonly bytesMax: number },
): AsyncGenerator<DatasetEntry, void, void> {
  const cutter = new ObjectCutter(bytesMax);
  for await (const chunk of chunks) yield* cutter.cut(chunk);
  cutter.end();
}

class ObjectCutter {
  readonly #object: OpenObject;
  #line = 1;

  constructor(bytesMax: number) {
    const problem = `this object is longer than ${bytesMax / 1024 / 1024} MiB`;
    this.#object = new OpenObject({
      bytesMax,
      tooLong: { problem, advice: 'Is a brace missing? Otherwise use shorter ones.' },
    });
  }

  *cut(chunk: Buffer): Generator<DatasetEntry, void, void> {
    const object = this.#object;
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === LINE_FEED) this.#line += 1;
      if (object.isOpen) {
        if (!object.closes(byte)) continue;
        object.keep(chunk.subarray(from, at + 1));
        yield object.whole();
      } else if (byte === OPEN_OBJECT) {
        from = at;
        object.begin(this.#line);
      } else if (!BETWEEN.has(byte))
        throw new EntryError(
          this.#line,
          'what stands between two JSON objects is neither a comma nor a space',
          'Is the file whole? Fetch it again.',
        );
    }
    if (object.isOpen) object.keep(chunk.subarray(from));
  }

  end(): void {
    if (this.#object.isOpen)
      throw new EntryError(
        this.#object.line,
        'the file ends within this object',
        'Is it whole? Fetch it again.',
      );
  }
}

const LINE_FEED = 0x0a;
/** Space, tab, line breaks, comma, brackets, and the bytes of a byte order mark. */
const BETWEEN: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x5b, 0x5d, 0xef, 0xbb, 0xbf]);
