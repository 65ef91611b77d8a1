// The port of the foreign tools that measure RDMA: perftest, UCX, MLX with JACCL. A tool has two ends; one waits on a port of
// its own machine's loopback, the other is told a port there to dial, and Plimsoll carries what they agree on in between.

import type { Env } from '../../process/child.ts';
import type { RoundTripFigures } from '../socket/round-trip-figures.ts';

export type RdmaEngineName = 'perftest' | 'ucx' | 'mlx-jaccl';

/** Measured by the end that dials, from it to the end that waits. */
export type RdmaTest =
  | { readonly kind: 'latency'; readonly roundTrips: number }
  | { readonly kind: 'bandwidth'; readonly messageBytes: number; readonly messages: number };

/** One end's way into the fabric. */
export interface RdmaPlace {
  /** "mlx5_0", "rdma_en3"; for UCX over TCP the interface: "en0". */
  readonly device: string;
  /** Of the device; 1 where it has one only. */
  readonly port: number;
  /** RoCE needs one; undefined elsewhere. */
  readonly gidIndex: number | undefined;
  /** 'tcp': UCX without RDMA, to try the way where no machine has any. */
  readonly transport: 'rdma' | 'tcp';
}

export type ToolRole = 'waits' | 'dials';

export interface ToolCall {
  readonly test: RdmaTest;
  readonly role: ToolRole;
  readonly place: RdmaPlace;
  /** Where the other end can be found by name, for engines that must know it: both devices, the waiting one first. */
  readonly devices: readonly [string, string];
  /** On 127.0.0.1: to wait on, or to dial. */
  readonly rendezvousPort: number;
  /** Empty, of this call alone; for files that a tool wants. */
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

export interface BandwidthFigures {
  readonly kind: 'bandwidth';
  readonly bitsPerSecond: number;
}

export type ToolFigures =
  | LatencyFigures
  | BandwidthFigures
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface RdmaTool {
  readonly name: RdmaEngineName;
  /** Whatever it runs must be on PATH. */
  readonly programs: readonly string[];
  /** Sent before what is measured, of each test of bandwidth. */
  readonly warmUpMessages: number;
  command(call: ToolCall): ToolCommand;
  /** A line that can be the last one of those; only then is it worth a look. */
  readonly lastLine: RegExp;
  /** Whether the dialling end has said all that `read` wants; a tool may hang afterwards. */
  isComplete(test: RdmaTest, stdout: string): boolean;
  /** Of what the dialling end printed. */
  read(test: RdmaTest, stdout: string): ToolFigures;
  /** What went wrong, for tools that say it beside their figures and leave in order. */
  readonly complaint?: (stdout: string) => string | undefined;
  /** Where the waiting end says who came: the address and port. Undefined where the tool does not tell. */
  readonly cameFrom?: (stdout: string) => string | undefined;
}
