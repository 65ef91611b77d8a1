// JSON-RPC 2.0 as the Model Context Protocol uses it: one message at a time, requests with an id, notifications without.

import * as v from 'valibot';

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

type RpcId = string | number;

type RpcMessage =
  | { readonly kind: 'request'; readonly request: RpcRequest }
  /** Expects no answer; so does an answer to something that was never asked. */
  | { readonly kind: 'notification' }
  | { readonly kind: 'wrong'; readonly answer: RpcAnswer };

export type RpcAnswer =
  | { readonly jsonrpc: '2.0'; readonly id: RpcId; readonly result: object }
  | {
      readonly jsonrpc: '2.0';
      readonly id: RpcId | null;
      readonly error: { readonly code: number; readonly message: string };
    };

export const readRpcMessage = (json: unknown): RpcMessage => {
  const read = v.safeParse(MESSAGE, json);
  // A batch was part of one revision of the protocol only (2025-03-26).
  if (!read.success)
    return wrongMessage(
      Array.isArray(json) ? 'batches are not supported' : 'this is not a JSON-RPC 2.0 message',
    );
  const { id, method, params = {} } = read.output;
  if (method === undefined || id === undefined) return { kind: 'notification' };
  return { kind: 'request', request: { id, method, params } };
};

export const rpcResult = (id: RpcId, result: object): RpcAnswer => ({ jsonrpc: '2.0', id, result });

export const rpcError = (id: RpcId | null, code: keyof typeof RPC_CODES, message: string): RpcAnswer => ({
  jsonrpc: '2.0',
  id,
  error: { code: RPC_CODES[code], message },
});

const wrongMessage = (message: string): RpcMessage => ({
  kind: 'wrong',
  answer: rpcError(null, 'invalid-request', message),
});

const ID = v.union([v.pipe(v.string(), v.maxLength(256)), v.pipe(v.number(), v.safeInteger())]);
const MESSAGE = v.object({
  jsonrpc: v.literal('2.0'),
  id: v.exactOptional(ID),
  method: v.exactOptional(v.pipe(v.string(), v.maxLength(256))),
  params: v.exactOptional(v.record(v.string(), v.unknown())),
});

/** JSON-RPC 2.0, section 5.1. */
const RPC_CODES = {
  'parse-error': -32_700,
  'invalid-request': -32_600,
  'method-not-found': -32_601,
  'invalid-params': -32_602,
  internal: -32_603,
} as const;
