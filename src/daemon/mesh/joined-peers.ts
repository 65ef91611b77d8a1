// The peer through which a node joined its cluster: dialled at each start as if config.toml named it, so that a kill between the
// key and the first link does no harm if no beacon gets through. A file next to the key, which `plimsoll leave` removes.

import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { type HostPort, hostPortText } from '../../core/address/host-port.ts';
import { errorCode } from '../../core/problem.ts';
import { parsePeer } from '../../mesh/discovery/peer-address.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { readInputText } from '../../process/input-file.ts';

/** As parsePeer reads them; none where there is no such file, or it is not what was written. */
export const readJoinedPeers = async (home: string): Promise<readonly string[]> => {
  try {
    const read = v.safeParse(peersSchema, JSON.parse(await readInputText(pathIn(home), 'homeFile')));
    return read.success ? read.output.peers.filter(peer => parsePeer(peer).kind === 'peer') : [];
  } catch {
    return []; // the beacon and the journal know peers too
  }
};

export const writeJoinedPeers = (home: string, peers: readonly HostPort[]): Promise<void> =>
  writeFileAtomic(pathIn(home), `${JSON.stringify({ peers: peers.map(hostPortText) })}\n`);

export const removeJoinedPeers = async (home: string): Promise<void> => {
  try {
    await unlink(pathIn(home));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
};

const pathIn = (home: string): string => join(home, 'joined-peers.json');

const PEERS_MAX = 16;
const peersSchema = v.object({
  peers: v.pipe(v.array(v.pipe(v.string(), v.maxLength(300))), v.maxLength(PEERS_MAX)),
});
