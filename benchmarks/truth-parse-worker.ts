// A parse thread that parses as the real one does, and also compares the stamp of each sample's first content with
// the server's own stamp in it. Prints one line at the end: for each sample the microseconds from the server's write
// to our read, and how busy the load thread was.

import { parentPort, workerData } from 'node:worker_threads';
import { CONTENT_KINDS, RECORD } from '../src/bench/arena/load-record.ts';
import { RingReader } from '../src/bench/arena/ring.ts';
import { ThreadBoard } from '../src/bench/arena/thread-board.ts';
import type { FromParseWorker, ParseWorkerData } from '../src/bench/parse/parse-message.ts';
import { serverApi } from '../src/bench/target/api/server-apis.ts';
import { ReplyReader } from '../src/bench/target/reply-reader.ts';

const { api, rings, board: memory, boardThread, runZeroNs }: ParseWorkerData = workerData;
const board = new ThreadBoard(memory);
const report = (message: FromParseWorker): void => parentPort?.postMessage(message);
const MARK = '"writeNs":"';

class TruthParser {
  readonly #thread: number;
  readonly #ring: RingReader;
  readonly #replies: Map<number, { reader: ReplyReader; hasContent: boolean }> = new Map();
  #errorsUs: number[] = [];
  #busy: number[] = [];
  #cores: number[] = [];

  constructor({ thread, memory: ring }: ParseWorkerData['rings'][number]) {
    this.#thread = thread;
    this.#ring = new RingReader(ring);
  }

  parse(): void {
    const ring = this.#ring;
    for (let count = 1; ring.next(); count += 1) {
      this.#record();
      if (count % 64 === 0) ring.release();
    }
    ring.release();
  }

  #record(): void {
    const { type, slot, bytes, payloadStart, payloadEnd, stampNs, f64 } = this.#ring;
    const thread = this.#thread;
    if (type === RECORD.issued) {
      const reply = this.#replies.get(slot) ?? { reader: this.#newReader(slot), hasContent: false };
      this.#replies.set(slot, reply);
      reply.reader.reset();
      reply.hasContent = false;
    } else if (type === RECORD.head) {
      const status = f64[payloadStart / 8 + 1] ?? 0;
      const contentKind = CONTENT_KINDS[f64[payloadStart / 8 + 2] ?? 0] ?? 'other';
      this.#replies.get(slot)?.reader.head({
        status,
        contentKind,
        encoding: '',
        location: '',
        hasRetryAfter: false,
      });
    } else if (type === RECORD.body) {
      this.#replies.get(slot)?.reader.body(bytes, payloadStart, payloadEnd, stampNs);
    } else if (type === RECORD.observed) {
      this.#busy.push(f64[payloadStart / 8 + 1] ?? 0);
      this.#cores.push(f64[payloadStart / 8 + 2] ?? 0);
    } else if (type === RECORD.warmedUp) {
      this.#errorsUs = [];
      this.#busy = [];
      this.#cores = [];
      report({ kind: 'warmed-up', thread });
    } else if (type === RECORD.issuingEnded) {
      report({ kind: 'issuing-ended', thread, atNs: stampNs });
    } else if (type === RECORD.ended) {
      const reported = { errorsUs: this.#errorsUs, busy: this.#busy, cores: this.#cores };
      report({
        kind: 'lines',
        to: 'sampleLines',
        bytes: new TextEncoder().encode(`${JSON.stringify(reported)}\n`),
      });
      report({ kind: 'ended', thread, atNs: stampNs });
    }
  }

  #newReader(slot: number): ReplyReader {
    return new ReplyReader(serverApi(api), true, {
      content: stampNs => {
        const reply = this.#replies.get(slot);
        if (reply === undefined || reply.hasContent) return;
        reply.hasContent = true;
        const { bytes, payloadStart, payloadEnd } = this.#ring;
        const text = bytes.toString('latin1', payloadStart, payloadEnd);
        const at = text.indexOf(MARK) + MARK.length;
        const writeNs = Number(BigInt(text.slice(at, at + 20)) - runZeroNs);
        this.#errorsUs.push((stampNs - writeNs) / 1e3);
      },
    });
  }
}

const parsers = rings.map(ring => new TruthParser(ring));

const turn = (): void => {
  board.add(boardThread, 'heartbeat', 1);
  for (const parser of parsers) parser.parse();
  setTimeout(turn, 5);
};

parentPort?.ref();
turn();
