// What `nvidia-smi nvlink` prints of the links between GPUs: -s state and speed, -e errors, -gt d bytes. A line for each device with
// its UUID, and below it "Link 0: 26.562 GB/s", "Link 0: <inactive>", "Link 0: Replay Errors: 0", "Link 0: Data Tx: 8299479 KiB".

import type { GpuLink } from '../../core/node/gpu-health.ts';
import type { Reported } from '../../core/unknown.ts';
import { unknown } from '../../core/unknown.ts';

export interface NvlinkAnswers {
  readonly state: string;
  readonly errors: string;
  readonly bytes: string;
}

/** By the UUID of the device; none of a device without links. */
export const parseNvlink = ({
  state,
  errors,
  bytes,
}: NvlinkAnswers): ReadonlyMap<string, readonly GpuLink[]> => {
  const counted = figuresOf(errors);
  const carried = figuresOf(bytes);
  return new Map(
    [...linesOf(state)].map(([device, lines]) => [
      device,
      lines.slice(0, LINKS_MAX).map(({ link, told }): GpuLink => {
        const rate = /^(\d{1,5}(?:\.\d{1,4})?) GB\/s/.exec(told)?.[1];
        const of = (from: ReadonlyMap<string, number>, what: string): Reported<number> =>
          from.get(`${device} ${link} ${what}`) ?? unknown('not told by this driver');
        return {
          number: link,
          isUp: rate !== undefined,
          bytesPerSecond: rate === undefined ? unknown('the link is down') : Math.round(Number(rate) * 1e9),
          sentBytes: of(carried, 'data tx'),
          receivedBytes: of(carried, 'data rx'),
          replays: of(counted, 'replay errors'),
          recoveries: of(counted, 'recovery errors'),
          crcErrors: of(counted, 'crc errors'),
        };
      }),
    ]),
  );
};

interface LinkLine {
  readonly link: number;
  readonly told: string;
}

const linesOf = (text: string): ReadonlyMap<string, readonly LinkLine[]> => {
  const byDevice = new Map<string, LinkLine[]>();
  let device = '';
  for (const line of text.split('\n', LINES_MAX)) {
    const [, uuid] = /^GPU \d{1,4}: .*\(UUID: ([A-Za-z]{1,8}-[0-9A-Za-z-]{4,64})\)/.exec(line) ?? [];
    if (uuid !== undefined) device = uuid;
    const [, link, told] = /^\s+Link (\d{1,3}): (.{1,80})/.exec(line) ?? [];
    if (link === undefined || told === undefined || device === '') continue;
    byDevice.set(device, [...(byDevice.get(device) ?? []), { link: Number(link), told: told.trim() }]);
  }
  return byDevice;
};

/** "GPU-… 0 replay errors" → 12; KiB as bytes. */
const figuresOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...linesOf(text)].flatMap(([device, lines]) =>
      lines.flatMap(({ link, told }): readonly (readonly [string, number])[] => {
        const [, what, digits, unit] = /^([A-Za-z ]{3,30}): (\d{1,15})( KiB)?$/.exec(told) ?? [];
        if (what === undefined || digits === undefined) return [];
        const figure = Number(digits) * (unit === undefined ? 1 : 1_024);
        return Number.isSafeInteger(figure) ? [[`${device} ${link} ${what.toLowerCase()}`, figure]] : [];
      }),
    ),
  );

const LINKS_MAX = 36;
/** Sixteen devices with as many links and lines for each. */
const LINES_MAX = 4_096;
