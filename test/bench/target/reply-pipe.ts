// A reply's way from bytes to outcome, without sockets: framing, content, decision. What a load thread and a parse thread
// do with it between them.

import type { ServerApi } from '../../../src/bench/target/api/server-api.ts';
import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { type ReplySink, ResponseFramer } from '../../../src/bench/target/http1/response-framer.ts';
import { ReplyReader } from '../../../src/bench/target/reply-reader.ts';

export interface PipedReply {
  readonly outcome: string;
  readonly kind: string | undefined;
  readonly detail: string | undefined;
  readonly status: number;
  readonly body: string;
  readonly chunks: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly finishReason: string;
  readonly finishName: string;
  readonly isWithoutText: boolean;
  /** Bytes behind the reply. */
  readonly left: number;
  readonly keepsAlive: boolean;
}

interface PipeOptions {
  readonly api?: ServerApi;
  readonly isStreaming?: boolean;
}

/** `reads` is what came of the connection before it ended. */
export const pipeReply = (
  reads: readonly Buffer[],
  { api = SERVER_APIS[0], isStreaming = true }: PipeOptions = {},
): PipedReply => {
  let chunks = 0;
  const bodies: Buffer[] = [];
  const reader = new ReplyReader(api, isStreaming, {
    content: () => {
      chunks += 1;
    },
  });
  reader.reset();
  const sink: ReplySink = {
    replyBegan: () => undefined,
    headEnded: () => {
      const { status, contentKind, contentEncoding, location, hasRetryAfter } = framer.head;
      reader.head({ status, contentKind, encoding: contentEncoding, location, hasRetryAfter });
    },
    bodyBytes: (bytes, start, end) => {
      bodies.push(Buffer.from(bytes.subarray(start, end)));
      reader.body(bytes, start, end, 1);
    },
  };
  const framer = new ResponseFramer(sink);
  const received = reads.reduce((sum, read) => sum + read.length, 0);
  let used = 0;
  for (const read of reads) {
    // As the one buffer that all reads share: what is not copied in time is overwritten.
    const shared = Buffer.concat([read, Buffer.alloc(8, 0x5a)]);
    used += framer.push(shared, 0, read.length);
    shared.fill(0x58);
  }
  const isWhole = framer.problem === '' && framer.endOfConnection();
  const endKind =
    framer.problem !== '' ? 'malformed' : isWhole ? 'whole' : received === 0 ? 'reset' : 'truncated';
  const { outcome, failure } = reader.end(endKind, framer.problem);
  const { inputTokens, outputTokens, finishReason, finishName } = reader.reported;
  return {
    outcome,
    kind: failure?.kind,
    detail: failure?.detail,
    status: framer.head.status,
    body: Buffer.concat(bodies).toString('latin1'),
    chunks,
    inputTokens,
    outputTokens,
    finishReason,
    finishName,
    isWithoutText: outcome === 'completed' && !reader.hasContent,
    left: framer.problem === '' ? received - used : 0,
    keepsAlive: framer.head.keepsAlive,
  };
};

/** The bytes in pieces of `size`. */
export const inPieces = (bytes: Buffer, size: number): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
};
