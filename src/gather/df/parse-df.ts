// `df -kP`: a header, then device, 1024-byte blocks, used, available, capacity and mount point. Device and mount point
// may hold spaces; the four figures between them do not.

export interface DfVolume {
  readonly mountPoint: string;
  readonly totalBytes: number;
  readonly availableBytes: number;
}

export const parseDf = (text: string): readonly DfVolume[] => {
  const volumes: DfVolume[] = [];
  for (const line of text.split('\n')) {
    const match = /^\S.*?\s+(\d{1,15})\s+(\d{1,15})\s+(-?\d{1,15})\s+\d{1,4}%\s+(\/.*?)\s*$/.exec(line);
    if (match?.[4] === undefined) continue;
    const totalBytes = Number(match[1]) * 1024;
    // Negative when only the system's reserve is left.
    const availableBytes = Math.max(0, Number(match[3])) * 1024;
    volumes.push({ mountPoint: match[4], totalBytes, availableBytes });
  }
  return volumes;
};
