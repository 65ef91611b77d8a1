// Server-sent events as the standard lets them be written (HTML Living Standard §9.2): three line ends, with or without
// the space, comments, data over several lines.

import type { MockSettings } from '../mock-settings.ts';

type Framing = Pick<MockSettings, 'framing' | 'hasSpaceAfterData' | 'hasComments' | 'hasMultiLineData'>;

/** An event with its blank line. `data` is JSON or `[DONE]`. */
export const eventText = (data: string, settings: Framing, type?: string): string => {
  const end = lineEnd(settings);
  const field = settings.hasSpaceAfterData ? 'data: ' : 'data:';
  // A line feed is white space of JSON after its first comma between members, and belongs to the data (§9.2.6).
  const cut = settings.hasMultiLineData ? data.indexOf(',"') + 1 : 0;
  const lines = cut > 0 ? [data.slice(0, cut), data.slice(cut)] : [data];
  return [
    ...(settings.hasComments ? [': the mock is alive'] : []),
    ...(type === undefined ? [] : [`event:${settings.hasSpaceAfterData ? ' ' : ''}${type}`]),
    ...lines.map(line => field + line),
    '',
    '',
  ].join(end);
};

export const lineEnd = ({ framing }: Pick<Framing, 'framing'>): string => LINE_ENDS[framing];

export const BOM = '\ufeff';

const LINE_ENDS: Readonly<Record<Framing['framing'], string>> = { lf: '\n', crlf: '\r\n', cr: '\r' };
