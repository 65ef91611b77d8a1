// Branded ids: a node id cannot be passed as a run id.

declare const brand: unique symbol;

/** Exported because the compiler names it in the types of schemas. */
export interface Branded<Name extends string> {
  readonly [brand]: Name;
}

/** 26 characters of Crockford-like base32: the first 128 bits of SHA-256 of the node's public key. */
export type NodeId = string & Branded<'NodeId'>;
export type RunId = string & Branded<'RunId'>;
/** Id of a directory of stages; of the same form as a run's. */
export type SweepId = string & Branded<'SweepId'>;
/** Id of a directory of segments; of the same form as a run's. */
export type ComparisonId = string & Branded<'ComparisonId'>;
/** Id of any other stored document; of the same form as a run's. */
export type DocumentId = string & Branded<'DocumentId'>;

const NODE_ID = /^[a-z0-9]{26}$/;
const RUN_ID = /^[a-zA-Z0-9_-]{1,64}$/;

export const isNodeId = (text: unknown): text is NodeId => typeof text === 'string' && NODE_ID.test(text);
export const isRunId = (text: unknown): text is RunId => typeof text === 'string' && RUN_ID.test(text);
export const isSweepId = (text: unknown): text is SweepId => typeof text === 'string' && RUN_ID.test(text);
export const isComparisonId = (text: unknown): text is ComparisonId =>
  typeof text === 'string' && RUN_ID.test(text);
export const isDocumentId = (text: unknown): text is DocumentId =>
  typeof text === 'string' && RUN_ID.test(text);

/**
 * @throws RangeError if the text is not a node id. For ids that this program itself has just made or checked.
 */
export const nodeId = (text: string): NodeId => {
  if (isNodeId(text)) return text;
  throw new RangeError(`not a node id: ${JSON.stringify(text.slice(0, 40))}`);
};

// The position of an event in the order of its origin: epochs first, numbers within one.
export interface Position {
  readonly epoch: number;
  readonly seq: number;
}

export const isAfter = (a: Position, b: Position): boolean =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.seq > b.seq);
