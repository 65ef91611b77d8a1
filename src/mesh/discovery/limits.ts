// Every number of discovery: what stands in docs/limits.md. Times in ms.

/** UDP. */
export const BEACON_PORT = 4_182;
/** TCP, where a peer is named without a port. */
export const PEER_PORT = 4_181;
/** Transient and link-local (RFC 4291 §2.7); its last 64 bits spell "plimsoll". */
export const BEACON_GROUP_IPV6 = 'ff12::706c:696d:736f:6c6c';
/** Of the local scope (RFC 2365 §6.1), which no router passes on. */
export const BEACON_GROUP_IPV4 = '239.255.41.82';

export const DISCOVERY_LIMITS = {
  /** At the start of an interface so many beacons, so far apart. */
  quickBeacons: 5,
  quickBeaconMs: 1_000,
  /** Then from this to that, drawn anew each time. */
  beaconMsMin: 5_000,
  beaconMsMax: 10_000,
  rescanMs: 3_000,
  /** A channel that cannot send keeps listening; after so many failures in a row its socket is made anew. */
  sendFailuresMax: 5,
  interfacesMax: 64,
  /** Datagrams of the right shape that are checked, of one channel. */
  checkBurst: 1_000,
  checksPerSecond: 1_000,
  /** Nonces remembered: of others against replay, for each channel, and of this node, to know its own voice. */
  noncesMax: 2_048,
  /** Addresses remembered that were heard or told. */
  candidatesMax: 1_024,
  /** New addresses taken, of beacons and of peers each. */
  newBurst: 256,
  newPerSecond: 16,
  /** One address is passed on at most so often. */
  retellMs: 4_000,
  /** What a peer told once is passed on again so often, until it is too old. */
  repeatMs: 60_000,
  /** An address that nobody told for so long is forgotten. */
  candidateAgeMsMax: 600_000,
  /** Addresses that one peer may tell. */
  addressesPerPeerMax: 64,
} as const;
