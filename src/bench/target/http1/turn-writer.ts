// The bytes of a turn's request, assembled when it is due: head, history, the turn's own messages, and the remaining
// fields. Text in shared memory is copied from there; the server's answers come from the kept answers.

import type { SessionHistory } from '../../../core/run/run-shape.ts';
import { TurnTable } from '../../schedule/turn-table.ts';
import { BODY_NONCE_BYTES, commonNonce, numberedNonce } from '../request-bodies.ts';
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
  /** Its target, one of the load's. */
  readonly target: number;
  readonly sampleId: number;
  /** Index in the run. */
  readonly session: number;
  /** Index in its session. */
  readonly turn: number;
  /** Sample of the data set's first turn. */
  readonly firstSampleId: number;
  /**
   * The answer to a turn of this session: fields of a message, or its id if the server stores the history; undefined:
   * not kept.
   */
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
  /** Turns of a conversation from its first one to the current one; overwritten for each request. */
  readonly #chain: number[] = [];

  /** @param heads one for each target, everything up to the figure of content-length */
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

  /** Writes if there is a buffer. @returns the total number of bytes */
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

  /** As #walk, for a server that has the history. */
  #walkKept(chain: readonly number[], request: TurnRequest, into: Buffer | undefined, from: number): number {
    const last = chain.at(-1) ?? 0;
    const previous = chain.at(-2);
    let at = from + this.#piece(this.#cell(last, TURN_CELL.head), into, from);
    if (previous !== undefined) at += this.#earlier(previous, request, into, at);
    at += this.#added(last, request, into, at);
    at += this.#piece(this.#cell(last, TURN_CELL.tail), into, at);
    return at - from;
  }

  /** The turn's own messages. */
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

  /** The answer to an earlier turn: its text, or its id if the server stores it. */
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
    const fields = answer ?? (this.#history === 'client' ? EMPTY_CONTENT : undefined);
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

  /** Turns that share a scope have the same one. */
  #nonce(dataTurn: number, { session, firstSampleId }: TurnRequest): string {
    const scope = this.#cell(dataTurn, TURN_CELL.scope);
    // Played again, a trace shares nothing with the time before: its caches would contain all of it.
    if (scope === RUN_SCOPE)
      return commonNonce(this.#noncePrefix, Math.floor(session / this.table.sessionCount));
    const turn = scope - this.table.firstTurn(session);
    const number = firstSampleId + this.table.numberOf({ session, turn });
    return numberedNonce(this.#noncePrefix, number);
  }

  #cell(dataTurn: number, cell: number): number {
    return this.#cells[dataTurn * TURN_CELLS + cell] ?? 0;
  }
}

/** Fields for an answer's message that was not kept: the request stays valid JSON. */
const EMPTY_CONTENT: Buffer = Buffer.from('"content":""');
const NO_HEAD: Buffer = Buffer.alloc(0);
