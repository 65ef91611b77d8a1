// What `nvidia-smi nvlink` prints of the links between GPUs: -s state and speed, -e errors, -gt d bytes. A line for each device with
// its UUID, and below it "Link 0: 26.562 GB/s", "Link 0: <inactive>", "Link 0: Replay Errors: 0", "Link 0: Data Tx: 8299479 KiB".

import { type GpuLink, LINKS_INACTIVE } from '../../core/node/gpu-health.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { withoutLostMessages } from './lost-gpu.ts';

interface NvlinkAnswers {
  readonly state: string;
  readonly errors: string;
  readonly bytes: string;
}

/** By the UUID of the device: its links, or why none is listed. */
export const parseNvlink = ({
  state,
  errors,
  bytes,
}: NvlinkAnswers): ReadonlyMap<string, Reported<readonly GpuLink[]>> => {
  const counted = figuresOf(errors);
  const carried = figuresOf(bytes);
  return new Map(
    [...blocksOf(state)].map(([device, { lines, notes }]) => [
      device,
      lines.length === 0
        ? whyNoLink(notes)
        : lines.slice(0, LINKS_MAX).map(({ link, reported }): GpuLink => {
            const rate = /^(\d{1,5}(?:\.\d{1,4})?) GB\/s/.exec(reported)?.[1];
            const of = (from: ReadonlyMap<string, number>, what: string): Reported<number> =>
              from.get(`${device} ${link} ${what}`) ?? unknown('not reported by this driver');
            return {
              number: link,
              isUp: rate !== undefined,
              bytesPerSecond:
                rate === undefined ? unknown('the link is down') : Math.round(Number(rate) * 1e9),
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

/** A device that has no link for good, as opposed to one whose links cannot be read now. */
export const hasNoNvlink = (links: Reported<readonly GpuLink[]>): boolean =>
  isUnknown(links) && links.code === NO_NVLINK.code;

const whyNoLink = (notes: readonly string[]): Unknown => {
  const reported = notes.join(' ');
  if (/mig mode/i.test(reported)) return unknown('not reported while MIG is on');
  if (/links are inactive/i.test(reported)) return unknown('all its links are inactive', LINKS_INACTIVE);
  // Older drivers print nothing at all of such a card.
  if (reported === '' || /does not (have or )?support nvlink/i.test(reported)) return NO_NVLINK;
  return unknown(`the driver reports: ${reported.slice(0, 120)}`);
};

interface LinkLine {
  readonly link: number;
  readonly reported: string;
}

interface DeviceBlock {
  readonly lines: readonly LinkLine[];
  /** What is printed of the device instead of links. */
  readonly notes: readonly string[];
}

const blocksOf = (text: string): ReadonlyMap<string, DeviceBlock> => {
  const byDevice = new Map<string, { readonly lines: LinkLine[]; readonly notes: string[] }>();
  let block: { readonly lines: LinkLine[]; readonly notes: string[] } | undefined;
  for (const line of withoutLostMessages(text).split('\n', LINES_MAX)) {
    const [, uuid] = /^GPU \d{1,4}: .*\(UUID: ([A-Za-z]{1,8}-[0-9A-Za-z-]{4,64})\)/.exec(line) ?? [];
    if (uuid !== undefined) {
      block = { lines: [], notes: [] };
      byDevice.set(uuid, block);
      continue;
    }
    const [, link, reported] = /^\s+Link (\d{1,3}): (.{1,80})/.exec(line) ?? [];
    if (block === undefined || line.trim() === '') continue;
    if (link === undefined || reported === undefined) block.notes.push(line.trim().slice(0, 200));
    else block.lines.push({ link: Number(link), reported: reported.trim() });
  }
  return byDevice;
};

/** "GPU-… 0 replay errors" → 12; KiB as bytes. */
const figuresOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...blocksOf(text)].flatMap(([device, { lines }]) =>
      lines.flatMap(({ link, reported }): readonly (readonly [string, number])[] => {
        const [, what, digits, unit] = /^([A-Za-z ]{3,30}): (\d{1,15})( KiB)?$/.exec(reported) ?? [];
        if (what === undefined || digits === undefined) return [];
        const figure = Number(digits) * (unit === undefined ? 1 : 1_024);
        return Number.isSafeInteger(figure) ? [[`${device} ${link} ${what.toLowerCase()}`, figure]] : [];
      }),
    ),
  );

export const NO_NVLINK: Unknown = unknown('no NVLink', 'not-offered');
const LINKS_MAX = 36;
/** Sixteen devices with as many links and lines for each. */
const LINES_MAX = 4_096;
