// What a running daemon streams, until it shows what a test waits for.

import { serverEvents } from '../../src/cli/cluster-stream.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import { applyAll } from '../../src/core/apply.ts';
import type { State } from '../../src/core/state.ts';
import { decodeBatch, decodeSnapshot } from '../../src/wire/stream-message.ts';

/** The first state that is so, from the stream. */
export const whenState = async (url: string, isSo: (state: State) => boolean): Promise<State> => {
  const { body } = await fetch(`${url}/api/stream`);
  if (body === null) throw new Error('no stream');
  let state: State | undefined;
  for await (const { name, data } of serverEvents(body)) {
    if (name === 'snapshot') state = decodeSnapshot(data, systemClock.nowMs()).state;
    else if (name === 'batch' && state !== undefined)
      state = applyAll(state, decodeBatch(data, systemClock.nowMs()).events);
    if (state !== undefined && isSo(state)) return state;
  }
  throw new Error('the stream ended');
};
