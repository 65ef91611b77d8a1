// Every number of discovery, as in docs/limits.md. Times in ms.

/** UDP. */
export const BEACON_PORT = 4_182;
/** TCP, if a peer is named without a port. */
export const PEER_PORT = 4_181;
/** Transient and link-local (RFC 4291 §2.7); its last 64 bits spell "plimsoll". */
export const BEACON_GROUP_IPV6 = 'ff12::706c:696d:736f:6c6c';
/** A group of the local scope (RFC 2365 §6.1), which routers do not forward. */
export const BEACON_GROUP_IPV4 = '239.255.41.82';

export const DISCOVERY_LIMITS = {
  /** Beacons when an interface starts, and the time between them. */
  quickBeacons: 5,
  quickBeaconMs: 1_000,
  /** After that, a random interval between these two. */
  beaconMsMin: 5_000,
  beaconMsMax: 10_000,
  rescanMs: 3_000,
  /**
   * A channel that cannot send keeps listening; after this many failures in a row its socket is created
   * again.
   */
  sendFailuresMax: 5,
  interfacesMax: 64,
  /** Well-formed datagrams checked per channel. */
  checkBurst: 1_000,
  checksPerSecond: 1_000,
  /** Nonces remembered: of others against replay, per channel; of this node, to recognize its own beacons. */
  noncesMax: 2_048,
  /** Addresses remembered, from beacons and peers. */
  candidatesMax: 1_024,
  /** New addresses accepted, from beacons and from peers each. */
  newBurst: 256,
  newPerSecond: 16,
  /** One address is passed on at most this often. */
  retellMs: 4_000,
  /** An address that a peer sent once is passed on again this often, until it is too old. */
  repeatMs: 60_000,
  /** An address that was not received for this long is forgotten. */
  candidateAgeMsMax: 600_000,
  /** Addresses accepted from one peer. */
  addressesPerPeerMax: 64,
} as const;
