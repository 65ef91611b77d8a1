// Headers of requests from the command line, a file, a key or the URL. Their values are secrets: no message has them.

import type { HeaderField } from '../../bench/target/load-target.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';

/** "Name: value". */
export const parseHeader = (text: string): Parsed<HeaderField> => {
  const colon = text.indexOf(':');
  if (colon <= 0)
    return wrong('this is not a header', 'Write it as NAME:VALUE, such as --header "X-Team: blue".');
  const name = text.slice(0, colon).trim();
  const value = text.slice(colon + 1).trim();
  // RFC 9110, 5.6.2 and 5.5.
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) {
    return wrong('the name of this header has characters that no header may have', 'Write it as NAME:VALUE.');
  }
  if (value.length > VALUE_LENGTH_MAX) {
    return wrong(
      `the value of ${name} has ${value.length} characters`,
      `At most ${VALUE_LENGTH_MAX} are allowed.`,
    );
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    return wrong(
      `the value of ${name} has a character that no header may have`,
      'Use printable characters of Latin 1.',
    );
  }
  if (OWN_HEADERS.has(name.toLowerCase())) {
    return wrong(`${name} is written by the client itself`, 'Leave it out.');
  }
  return parsed({ name, value });
};

/** One on each line; empty lines and lines that start with # are skipped. A problem names the line, never its content. */
export const parseHeaderFile = (content: string): Parsed<readonly HeaderField[]> => {
  const headers: HeaderField[] = [];
  for (const [index, line] of content.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const header = parseHeader(line);
    if (header.kind === 'wrong') return wrong(`line ${index + 1}: ${header.problem}`, header.advice);
    headers.push(header.value);
  }
  if (headers.length === 0)
    return wrong('there is no header in it', 'Write one on each line, as NAME: VALUE.');
  return parsed(headers);
};

/** The name of the first header that comes twice. */
export const repeatedHeader = (headers: readonly HeaderField[]): string | undefined => {
  const seen = new Set<string>();
  return headers.find(({ name }) => seen.size === seen.add(name.toLowerCase()).size)?.name;
};

const VALUE_LENGTH_MAX = 8_192;

/** Framing and what the measurement depends on. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'accept-encoding',
  'expect',
  'te',
  'trailer',
  'upgrade',
]);
