// The port of datagrams that may be lost: what reachability checks need of a network. UDP in real life, memory in tests and
// wherever a network is made up.

export interface DatagramPort extends AsyncDisposable {
  /** Where others reach it. */
  readonly port: number;
  /**
   * Resolves when the system has taken it, which says nothing about its arrival.
   * @throws the system's error: no route, interface gone, forbidden.
   */
  send(bytes: Uint8Array, to: DatagramAddress): Promise<void>;
  /**
   * The own address that datagrams to there are sent from, as the system's routes have it now; nothing is sent.
   * @throws the system's error.
   */
  sourceAddressTowards(to: DatagramAddress): Promise<string>;
}

export interface DatagramAddress {
  /** IPv4 or IPv6, scoped where it is link-local: "fe80::1%en3". */
  readonly address: string;
  readonly port: number;
}

/** The bytes are the listener's to keep. */
export type DatagramListener = (bytes: Uint8Array, from: DatagramAddress) => void;
