// Server-sent events on the wire (WHATWG HTML, section 9.2), and the ids that a reader resumes by.

export interface EventFrame {
  readonly event: 'snapshot' | 'batch' | 'heartbeat' | 'dropped';
  readonly id?: string;
  /** One line: JSON has no line breaks outside strings, and escapes them inside. */
  readonly data: string;
}

export const encodeFrame = ({ event, id, data }: EventFrame): Buffer =>
  Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);

/** How long a browser waits before it connects again. */
export const RETRY_FRAME: Buffer = Buffer.from('retry: 1000\n\n');

/** Contains the daemon's start: what was streamed by an earlier one cannot be resumed. */
export const streamId = (daemonStart: string, sequence: number): string => `${daemonStart}.${sequence}`;

/** The sequence of an id of this start; undefined for any other text. */
export const sequenceOf = (id: string | undefined, daemonStart: string): number | undefined => {
  if (id === undefined || !id.startsWith(`${daemonStart}.`)) return undefined;
  const digits = id.slice(daemonStart.length + 1);
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
};
