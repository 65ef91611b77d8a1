// The signature of an acceptance: the node that ran it signs the digest of acceptance.json with the key that its id is made of. A
// text of its own is signed, so that nothing that the mesh signs with the same key can pass for it.

import { createHash } from 'node:crypto';
import { DaemonError } from '../../daemon/daemon-error.ts';
import { openNodeKey } from '../../daemon/node-key.ts';
import type { PageSignature } from '../../report/html/signature-section.ts';
import { endedBy } from '../command-error.ts';

/** @throws CommandError `homeUnusable` */
export const signedBy = async (home: string, json: string): Promise<PageSignature> => {
  try {
    const { nodeId, publicKey, sign } = await openNodeKey(home);
    const statement = `plimsoll acceptance sha256 ${createHash('sha256').update(json).digest('hex')}`;
    return {
      nodeId,
      publicKey: Buffer.concat([SPKI_PREFIX, publicKey]).toString('base64'),
      statement,
      signature: Buffer.from(sign(Buffer.from(statement))).toString('base64'),
    };
  } catch (error) {
    throw error instanceof DaemonError ? endedBy('homeUnusable', error) : error;
  }
};

/** Before the 32 bytes of an ed25519 key: RFC 8410 section 4. */
const SPKI_PREFIX: Buffer = Buffer.from('302a300506032b6570032100', 'hex');
