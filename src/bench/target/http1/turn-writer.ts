// The bytes of a turn's request, put together when it is due: head, history, what the turn adds, and the fields behind. What
// stands in shared memory is copied from there; answers of servers come from whoever keeps them.

import type { SessionHistory } from '../../../core/run/run-shape.ts';
import { TurnTable } from '../../schedule/turn-table.ts';
import { BODY_NONCE_BYTES, commonNonce } from '../request-bodies.ts';
import {
  ANSWER_AFTER,
  ANSWER_BEFORE,
  LIVE_ANSWER,
  NO_TURN,
  NONCE_PIECE,
  RUN_SCOPE,
  type SessionBodies,
  TURN_CELL,
  TURN_CELLS,
} from '../session-bodies.ts';
import type { PreparedRequest } from './request-writer.ts';

interface TurnRequest {
  /** Where it goes: one of the load's targets. */
  readonly target: number;
  readonly sampleId: number;
  /** Of the run. */
  readonly session: number;
  /** In its session. */
  readonly turn: number;
  /** The sample of the first turn of the data set. */
  readonly firstSampleId: number;
  /** What a turn of this session answered: fields of a message, or of a server's history its id; undefined: nobody kept it. */
  readonly answer: (turn: number) => Uint8Array | undefined;
}

export class TurnWriter {
  readonly table: TurnTable;
  readonly #heads: readonly Buffer[];
  readonly #bytes: Buffer;
  readonly #pieceStarts: Float64Array;
  readonly #cells: Int32Array;
  readonly #own: Int32Array;
  readonly #noncePrefix: string;
  readonly #history: SessionHistory;
  /** Turns of a conversation from its first one to the one in hand; written anew for each request. */
  readonly #chain: number[] = [];

  /** @param heads of each target, everything up to the figure of content-length */
  constructor(
    heads: readonly string[],
    { turns, bytes, pieceStarts, cells, own, noncePrefix, history }: SessionBodies,
  ) {
    this.table = new TurnTable(turns);
    this.#heads = heads.map(head => Buffer.from(head, 'latin1'));
    this.#bytes = Buffer.from(bytes);
    this.#pieceStarts = new Float64Array(pieceStarts);
    this.#cells = new Int32Array(cells);
    this.#own = new Int32Array(own);
    this.#noncePrefix = noncePrefix ?? '';
    this.#history = history;
  }

  prepare(into: PreparedRequest, request: TurnRequest): void {
    const first = this.table.firstTurn(request.session);
    const chain = this.#chainOf(first + request.turn);
    const walk = this.#history === 'client' ? this.#walk : this.#walkKept;
    const length = walk.call(this, chain, request, undefined, 0);
    const tail = `${length}\r\n\r\n`;
    const head = this.#heads[request.target] ?? NO_HEAD;
    const bytes = Buffer.allocUnsafe(head.length + tail.length + length);
    head.copy(bytes, 0);
    bytes.write(tail, head.length, 'latin1');
    walk.call(this, chain, request, bytes, head.length + tail.length);
    into.bytes = bytes;
    into.sampleId = request.sampleId;
    // What another writer finds there is nothing of its own.
    into.promptIndex = -1;
  }

  #chainOf(dataTurn: number): readonly number[] {
    const chain = this.#chain;
    chain.length = 0;
    for (let turn = dataTurn; turn !== NO_TURN; turn = this.#cell(turn, TURN_CELL.continues))
      chain.push(turn);
    return chain.reverse();
  }

  /** Writes where there is something to write into. @returns the bytes of it all */
  #walk(chain: readonly number[], request: TurnRequest, into: Buffer | undefined, from: number): number {
    const last = chain.at(-1) ?? 0;
    let at = from + this.#piece(this.#cell(last, TURN_CELL.head), into, from);
    for (const turn of chain) {
      at += this.#added(turn, request, into, at);
      if (turn !== last) at += this.#earlier(turn, request, into, at);
    }
    at += this.#piece(this.#cell(last, TURN_CELL.tail), into, at);
    return at - from;
  }

  /** As #walk, where the server has what came before. */
  #walkKept(chain: readonly number[], request: TurnRequest, into: Buffer | undefined, from: number): number {
    const last = chain.at(-1) ?? 0;
    const previous = chain.at(-2);
    let at = from + this.#piece(this.#cell(last, TURN_CELL.head), into, from);
    if (previous !== undefined) at += this.#earlier(previous, request, into, at);
    at += this.#added(last, request, into, at);
    at += this.#piece(this.#cell(last, TURN_CELL.tail), into, at);
    return at - from;
  }

  /** What a turn itself says. */
  #added(turn: number, request: TurnRequest, into: Buffer | undefined, from: number): number {
    let at = from;
    for (
      let index = this.#cell(turn, TURN_CELL.ownFrom);
      index < this.#cell(turn, TURN_CELL.ownTo);
      index += 1
    ) {
      const piece = this.#own[index] ?? 0;
      if (piece !== NONCE_PIECE) at += this.#piece(piece, into, at);
      else {
        into?.write(this.#nonce(turn, request), at, BODY_NONCE_BYTES, 'latin1');
        at += BODY_NONCE_BYTES;
      }
    }
    return at - from;
  }

  /** What was answered to an earlier turn: its text, or its id where the server keeps it. */
  #earlier(turn: number, request: TurnRequest, into: Buffer | undefined, from: number): number {
    let at = from + this.#piece(ANSWER_BEFORE, into, from);
    at += this.#answer(turn, request, into, at);
    at += this.#piece(ANSWER_AFTER, into, at);
    return at - from;
  }

  #answer(turn: number, request: TurnRequest, into: Buffer | undefined, at: number): number {
    const piece = this.#cell(turn, TURN_CELL.answer);
    if (piece !== LIVE_ANSWER) return this.#piece(piece, into, at);
    const answer = request.answer(turn - this.table.firstTurn(request.session));
    const fields = answer ?? (this.#history === 'client' ? NO_WORDS : undefined);
    if (fields === undefined) return 0;
    into?.set(fields, at);
    return fields.length;
  }

  #piece(piece: number, into: Buffer | undefined, at: number): number {
    const start = this.#pieceStarts[piece] ?? 0;
    const end = this.#pieceStarts[piece + 1] ?? start;
    if (into !== undefined) this.#bytes.copy(into, at, start, end);
    return end - start;
  }

  /** Whoever shares a scope has the same one. */
  #nonce(dataTurn: number, { session, firstSampleId }: TurnRequest): string {
    const scope = this.#cell(dataTurn, TURN_CELL.scope);
    if (scope === RUN_SCOPE) return commonNonce(this.#noncePrefix);
    const turn = scope - this.table.firstTurn(session);
    const number = firstSampleId + this.table.numberOf({ session, turn });
    return this.#noncePrefix + number.toString(16).padStart(BODY_NONCE_BYTES / 2, '0');
  }

  #cell(dataTurn: number, cell: number): number {
    return this.#cells[dataTurn * TURN_CELLS + cell] ?? 0;
  }
}

/** Fields of an answer's message that nobody kept: the request is JSON all the same. */
const NO_WORDS: Buffer = Buffer.from('"content":""');
const NO_HEAD: Buffer = Buffer.alloc(0);
