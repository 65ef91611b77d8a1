// The port of the foreign tools that measure RDMA: perftest, UCX, MLX with JACCL. A tool has two ends; one waits on a port of
// its own machine's loopback, the other gets a port there to dial, and Plimsoll relays their rendezvous.

import type { Env } from '../../process/child.ts';
import type { RoundTripFigures } from '../socket/round-trip-figures.ts';

export type RdmaEngineName = 'perftest' | 'ucx' | 'mlx-jaccl';

/** Measured by the end that dials, from it to the end that waits. */
export type RdmaTest =
  | { readonly kind: 'latency'; readonly roundTrips: number }
  | { readonly kind: 'bandwidth'; readonly messageBytes: number; readonly messages: number };

/** One end's access to the fabric. */
export interface RdmaEndpoint {
  /** "mlx5_0", "rdma_en3"; for UCX over TCP the interface: "en0". */
  readonly device: string;
  /** Port of the device; 1 if it has only one. */
  readonly port: number;
  /** RoCE needs one; undefined elsewhere. */
  readonly gidIndex: number | undefined;
  /** 'tcp': UCX without RDMA, to test on machines without RDMA. */
  readonly transport: 'rdma' | 'tcp';
}

export type ToolRole = 'waits' | 'dials';

export interface ToolCall {
  readonly test: RdmaTest;
  readonly role: ToolRole;
  readonly endpoint: RdmaEndpoint;
  /** The devices by name, for engines that need them: both devices, the waiting one first. */
  readonly devices: readonly [string, string];
  /** On 127.0.0.1: to wait on, or to dial. */
  readonly rendezvousPort: number;
  /** A folder for this call only, which exists if the command has files. */
  readonly folder: string;
}

export interface ToolCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Env;
  /** To be written into the folder first. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

export type LatencyFigures = RoundTripFigures & { readonly kind: 'latency' };

interface BandwidthFigures {
  readonly kind: 'bandwidth';
  readonly bitsPerSecond: number;
}

export type ToolFigures =
  | LatencyFigures
  | BandwidthFigures
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface RdmaTool {
  readonly name: RdmaEngineName;
  /** Everything it runs must be on PATH. */
  readonly programs: readonly string[];
  /** Sent before the measured messages, in each bandwidth test. */
  readonly warmUpMessages: number;
  command(call: ToolCall): ToolCommand;
  /** Whether a line may be the last one needed; only then is the output checked. */
  readonly lastLine: RegExp;
  /** Whether the dialling end has printed all that `read` needs; a tool may hang afterwards. */
  isComplete(test: RdmaTest, stdout: string): boolean;
  /** Parses the output of the dialling end. */
  read(test: RdmaTest, stdout: string): ToolFigures;
  /** What went wrong, for tools that print it next to their figures and exit with 0. */
  readonly complaint?: (stdout: string) => string | undefined;
  /** Where the waiting end prints who connected: address and port. Undefined if the tool does not print it. */
  readonly cameFrom?: (stdout: string) => string | undefined;
}

// What RDMA tools call latency: half a round trip, in microseconds.

/** A figure that a tool can have measured: longer ones are damage, and past all numbers in nanoseconds. */
export const isHalfRoundTrip = (us: number): boolean => us > 0 && us < HOUR_US;

/** The whole of it, in nanoseconds. */
export const roundTripNs = (halfUs: number): number => Math.round(halfUs * 2 * 1_000);

/** No run of a tool is given as long. */
const HOUR_US = 3.6e9;
