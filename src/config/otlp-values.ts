// Values of [otlp] in config.toml, and of --otlp.

import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import type { OtlpConfig } from './config.ts';
import { textUpTo, type ValueParser } from './config-values.ts';

/** Without /v1/metrics and without a slash at the end. */
export const otlpEndpoint: ValueParser<string> = value => {
  const text = textUpTo(2_000)(value);
  if (text.kind === 'wrong') return text;
  const url = URL.canParse(text.value) ? new URL(text.value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return wrong(`${text.value} is not a URL of HTTP`, 'Write for example http://127.0.0.1:4318');
  if (url.username !== '' || url.password !== '' || url.search !== '')
    return wrong('the URL has credentials or a query', 'Send through a collector, which adds the secrets.');
  return parsed(url.origin + url.pathname.replace(/\/+$/, ''));
};

export const otlpCompression: ValueParser<OtlpConfig['compression']> = (
  value,
): Parsed<OtlpConfig['compression']> =>
  value === 'none' || value === 'gzip'
    ? parsed<OtlpConfig['compression']>(value)
    : wrong('this is neither "none" nor "gzip"', 'Write "none" or "gzip".');
