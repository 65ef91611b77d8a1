// `--otlp URL`: where what was measured is sent, to a receiver of OpenTelemetry.

import { parsed, wrong } from '../core/figure/parse-figure.ts';
import type { Option } from './command.ts';
import { value } from './command.ts';

export const otlpOption: Option<string | undefined> = value({
  name: 'otlp',
  valueName: 'URL',
  meaning:
    'Send histograms and traces of the run to a receiver of OpenTelemetry (OTLP over HTTP, JSON): http://127.0.0.1:4318',
  parse: text => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol))
      return wrong(`${text} is not a URL of HTTP`, 'Write for example http://127.0.0.1:4318');
    if (url.username !== '' || url.password !== '' || url.search !== '')
      return wrong(
        'the URL has credentials or a query',
        'Send through a collector, which adds what is secret.',
      );
    return parsed(url.origin + url.pathname.replace(/\/+$/, ''));
  },
});
