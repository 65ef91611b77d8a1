// What numbered datagrams show of a connection, first from the source to the sink, whose firewalls then let the others through: the
// MTU by sizes that pass undivided, loss and reordering by a second of them, paced at a tenth of the measured rate at most, so that
// they do not cause the loss themselves.

import { type DatagramFigures, noDatagramFigures } from '../../core/link/link-profile.ts';
import { knownOr, type Reported, unknown } from '../../core/unknown.ts';
import { INTERVAL_US_MIN } from './control-message.ts';
import type { Trains } from './datagram-trains.ts';
import { searchMtu } from './mtu-search.ts';
import type { ProbeDirection } from './rate-estimate.ts';

export interface DatagramOptions {
  readonly roundTripMs: number;
  readonly uploadBitsPerSecond: Reported<number>;
  readonly downloadBitsPerSecond: Reported<number>;
  readonly bytesMax: number;
  /** On the clock of the trains. */
  readonly endMs: number;
}

/** @throws ProbeError */
export const measureDatagrams = async (
  trains: Trains,
  options: DatagramOptions,
): Promise<DatagramFigures> => {
  if (options.bytesMax < BYTES_MIN) return noDatagramFigures(unknown('its budget of bytes is too small'));
  const upload = await measured(trains, 'upload', options);
  if (upload === undefined) return noDatagramFigures(unknown(FILTERED));
  const download = (await measured(trains, 'download', options)) ?? unmeasured(FILTERED);
  return {
    uploadMtuBytes: upload.mtuBytes,
    downloadMtuBytes: download.mtuBytes,
    uploadDatagrams: upload.datagrams,
    downloadDatagrams: download.datagrams,
    uploadLossShare: upload.lossShare,
    downloadLossShare: download.lossShare,
    uploadReorderedShare: upload.reorderedShare,
    downloadReorderedShare: download.reorderedShare,
  };
};

interface DirectionFigures {
  readonly mtuBytes: Reported<number>;
  readonly datagrams: Reported<number>;
  readonly lossShare: Reported<number>;
  readonly reorderedShare: Reported<number>;
}

const unmeasured = (why: string): DirectionFigures => {
  const figure = unknown(why);
  return { mtuBytes: figure, datagrams: figure, lossShare: figure, reorderedShare: figure };
};

/** Undefined if not one datagram passes. */
const measured = async (
  trains: Trains,
  direction: ProbeDirection,
  options: DatagramOptions,
): Promise<DirectionFigures | undefined> => {
  const settleMs = SETTLE_MS + 2 * options.roundTripMs;
  const search = await searchMtu(trains, direction, settleMs);
  if (search === undefined) return undefined;
  const { mtuBytes } = search;
  const none = (why: string): DirectionFigures => ({ ...unmeasured(why), mtuBytes });
  const bitsPerSecond = knownOr(options[`${direction}BitsPerSecond`], 0);
  if (bitsPerSecond <= 0) return none('the rate of the direction is unknown');
  const intervalUs = Math.max(
    INTERVAL_US_MIN,
    Math.ceil((DATAGRAM_BYTES * 8e6) / (RATE_SHARE * bitsPerSecond)),
  );
  const leftMs = Math.min(TRAIN_MS, options.endMs - trains.nowMs() - settleMs);
  const count = Math.floor(Math.min((leftMs * 1_000) / intervalUs, options.bytesMax / 4 / DATAGRAM_BYTES));
  if (count < DATAGRAMS_MIN)
    return none(`a tenth of its rate is too few datagrams, fewer than ${DATAGRAMS_MIN}`);
  const plan = { sizes: [DATAGRAM_BYTES], count, intervalUs };
  const { sent, received } = await trains.run(direction, plan, settleMs);
  if (sent < DATAGRAMS_MIN) return none('the sender’s own queue refused them');
  // Those that the receiver's own socket dropped had passed the path.
  const passed = Math.min(sent, received.count + Math.max(0, received.dropped - search.dropped));
  return {
    mtuBytes,
    datagrams: sent,
    lossShare: (sent - passed) / sent,
    reorderedShare: received.count === 0 ? unknown('none arrived') : received.reordered / received.count,
  };
};

const FILTERED = 'not one UDP datagram arrived: a firewall drops them';
/** Of IP packets whose loss is measured: they pass every path with IPv6 (RFC 8200 §5). */
export const DATAGRAM_BYTES: number = 1_200;
/** Of the measured rate: a queue that is shared stays as it is. */
const RATE_SHARE = 0.1;
/** Fewer bound a loss only above 3 % (zero of them lost, 95 %). */
const DATAGRAMS_MIN = 100;
const TRAIN_MS = 1_000;
/** A search for the MTU takes half a megabyte where nothing is too large. */
const BYTES_MIN = 2e6;
/** For a receiver whose process waits for a processor. */
const SETTLE_MS = 50;
