// The secret that opens a channel to an agent: a code that `plimsoll agent` prints, or a ticket that a daemon issues
// over the mesh. Both ends derive the TLS key from it, so it never crosses the network.

import { hkdfSync, randomBytes } from 'node:crypto';
import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { codeText, readCodeText } from '../../../core/text/code-text.ts';

/** "7QKF-M2XW-9TBD-0C4H-VN8S-3JYR-E6GA": 140 random bits, which cannot be guessed however long an agent listens. */
export const makeAgentCode = (): string => codeText(randomBytes(CODE_SIGNS));

/** As people type it. Returns the form of makeAgentCode. */
export const parseAgentCode = (text: string): Parsed<string> => {
  const code = readCodeText(text, CODE_SIGNS);
  if (code !== undefined) return parsed(code);
  // A mistyped code is still most of a secret: the error does not repeat it.
  return wrong(
    `this is not the code of an agent, which has ${CODE_SIGNS} letters and digits`,
    'Copy it whole from where `plimsoll agent` printed it.',
  );
};

/** @throws RangeError for a secret that is too short to be one. */
export const agentPsk = (secret: string): Buffer => {
  if (secret.length < SECRET_LENGTH_MIN) throw new RangeError('the secret of an agent is too short');
  return Buffer.from(hkdfSync('sha256', secret, 'plimsoll agent', 'tls psk', PSK_BYTES));
};

/** Sent in plain text by the dialling side: it names the protocol and no node. */
export const AGENT_IDENTITY = 'plimsoll-agent/1';

const CODE_SIGNS = 28;
/** 26 characters of 5 bits are 130 bits, 32 of hexadecimal 128. */
const SECRET_LENGTH_MIN = 26;
const PSK_BYTES = 32;
