// Why a connection could not be opened or was lost, as a sentence with advice: for the requests before a run and for
// the load.

import { errorCode, errorMessage } from '../../core/problem.ts';
import {
  CHECK_ADDRESS,
  CONNECTION_PROBLEMS,
  type ConnectionProblem,
  connectionProblemText,
  HTTP2_ADVICE,
  HTTP2_ONLY,
} from '../../core/run/connection-problems.ts';
import { isHttp2 } from './http1/head-reader.ts';

export const connectionProblem = (error: unknown): ConnectionProblem => {
  const code = errorCode(error) ?? '';
  // HPE_…: of Node's HTTP parser.
  if (code.startsWith('HPE_'))
    return isHttp2(packetOf(error))
      ? { problem: HTTP2_ONLY, advice: HTTP2_ADVICE, isOurs: false }
      : lostBecause('what it answers is not HTTP');
  const known = CONNECTION_PROBLEMS.get(code);
  if (known === undefined)
    return lostBecause(code === '' ? errorMessage(error) : `${code}: ${errorMessage(error)}`);
  return { ...known, problem: connectionProblemText(code, known) };
};

/** The bytes that Node's parser could not read; empty for any other error. */
const packetOf = (error: unknown): Uint8Array =>
  error instanceof Error && 'rawPacket' in error && error.rawPacket instanceof Uint8Array
    ? error.rawPacket
    : new Uint8Array();

/** A problem without a system error. */
export const lostBecause = (why: string): ConnectionProblem => ({
  problem: why,
  advice: CHECK_ADDRESS,
  isOurs: false,
});
