// `df -kP`: a header, then device, 1024-byte blocks, used, available, capacity and mount point. Device and mount point
// may hold spaces; the four figures between them do not.

import { toolLines } from '../tool-lines.ts';

export interface DfVolume {
  readonly mountPoint: string;
  readonly totalBytes: number;
  readonly availableBytes: number;
}

export const parseDf = (text: string): readonly DfVolume[] => {
  const volumes: DfVolume[] = [];
  for (const line of toolLines(text)) {
    const match = /^\S.*?\s+(\d{1,15})\s+(\d{1,15})\s+(-?\d{1,15})\s+\d{1,4}%\s+(\/.{0,1000}?)\s*$/.exec(
      line,
    );
    if (match?.[4] === undefined) continue;
    const totalBytes = Number(match[1]) * 1024;
    // Negative when only the system's reserve is left.
    const availableBytes = Math.max(0, Number(match[3])) * 1024;
    if (!Number.isSafeInteger(totalBytes) || !Number.isSafeInteger(availableBytes)) continue;
    volumes.push({ mountPoint: match[4], totalBytes, availableBytes });
  }
  return volumes;
};
