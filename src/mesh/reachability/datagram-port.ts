// The port of datagrams that may be lost: what reachability checks need from a network. UDP in production, memory in
// tests and simulated networks.

export interface DatagramPort extends AsyncDisposable {
  /** Where others reach it. */
  readonly port: number;
  /**
   * Resolves when the system has accepted it, which does not mean that it arrived.
   * @throws the system's error: no route, interface gone, forbidden.
   */
  send(bytes: Uint8Array, to: DatagramAddress): Promise<void>;
  /**
   * The local address from which datagrams to that address are sent, by the system's current routes; nothing
   * is sent.
   * @throws the system's error.
   */
  sourceAddressTowards(to: DatagramAddress): Promise<string>;
}

export interface DatagramAddress {
  /** IPv4 or IPv6, scoped if link-local: "fe80::1%en3". */
  readonly address: string;
  readonly port: number;
}

/** The listener owns the bytes. */
export type DatagramListener = (bytes: Uint8Array, from: DatagramAddress) => void;
