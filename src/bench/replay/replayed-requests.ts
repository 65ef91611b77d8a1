// The bytes of each request of a trace: the text of its blocks and its own text, in a body of the server's API, after
// the head of its target.

import type { TraceRequest } from '../dataset/trace/trace.ts';
import { TraceTexts } from '../dataset/trace/trace-text.ts';
import { serverApi } from '../target/api/server-apis.ts';
import { bodyAround } from '../target/text-place.ts';
import type { ReplayPlan } from './feed-message.ts';

export class ReplayedRequests {
  readonly #plan: ReplayPlan;
  readonly #texts: TraceTexts;

  constructor(plan: ReplayPlan) {
    this.#plan = plan;
    this.#texts = new TraceTexts(plan.costs, plan.seed);
  }

  /** In newly allocated memory, which can be transferred. @param number its index in the replay */
  bytesOf(request: TraceRequest, number: number, head: string): Uint8Array<ArrayBuffer> {
    const { api, model, isStreaming, nonce, lengthFields, added, isOutputInBody } = this.#plan;
    const { before, after } = bodyAround(serverApi(api), isOutputInBody ? undefined : request.outputTokens, {
      model,
      isStreaming,
      nonce,
      fields: { lengthFields, added },
    });
    const body = `${before}${this.#texts.partsOf(request, number).join('')}${after}`;
    const text = `${head}${Buffer.byteLength(body)}\r\n\r\n`;
    const bytes = new Uint8Array(Buffer.byteLength(text, 'latin1') + Buffer.byteLength(body));
    const into = Buffer.from(bytes.buffer);
    into.write(body, into.write(text, 0, 'latin1'), 'utf8');
    return bytes;
  }
}
