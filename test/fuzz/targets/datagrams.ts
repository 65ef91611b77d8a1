// What a datagram of a stranger can do: on the port of discovery, and on that of the reachability check.

import { nodeId } from '../../../src/core/ids.ts';
import { BEACON_NONCE_BYTES, checkBeacon, encodeBeacon } from '../../../src/mesh/discovery/beacon-channel.ts';
import {
  answeredNonce,
  checkKey,
  encodeAnswer,
  encodeQuestion,
  isAnswerOf,
  readQuestion,
} from '../../../src/mesh/reachability/check-message.ts';
import { type FuzzTarget, firstByteChooses, holdEqual } from '../fuzz-target.ts';

const TAG_KEYS = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const KEY = checkKey(new Uint8Array(32).fill(3));
const NONCE = new Uint8Array(BEACON_NONCE_BYTES).fill(7);
const QUESTION = { nonce: NONCE, key: KEY };
const RESPONDER = nodeId('a'.repeat(26));

export const target: FuzzTarget = {
  name: 'datagrams',
  covers: ['src/mesh/discovery/beacon-channel.ts', 'src/mesh/reachability/check-message.ts'],
  ...firstByteChooses([
    {
      seeds: TAG_KEYS.map(key => encodeBeacon({ version: 1, port: 4181, nonce: NONCE }, key)),
      run: input => {
        const checked = checkBeacon(input, TAG_KEYS);
        // Only who has the key can make one: nobody guesses a tag.
        if (
          checked.kind === 'beacon' &&
          !TAG_KEYS.some(key => Buffer.compare(encodeBeacon(checked.beacon, key), input) === 0)
        )
          throw new Error('a beacon that nobody with the key has made');
        return checked;
      },
    },
    {
      seeds: [encodeQuestion(QUESTION)],
      run: input => {
        const question = readQuestion(input, [KEY]);
        if (question !== undefined)
          holdEqual('a question', Buffer.from(encodeQuestion(question)), Buffer.from(input));
        return question?.nonce;
      },
    },
    {
      seeds: [encodeAnswer(QUESTION, RESPONDER)],
      run: input => {
        const nonce = answeredNonce(input);
        if (nonce === undefined) return undefined;
        if (isAnswerOf(input, QUESTION, RESPONDER))
          holdEqual('the nonce of an answer', Buffer.from(nonce), Buffer.from(NONCE));
        return nonce;
      },
    },
  ]),
};
