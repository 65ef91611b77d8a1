// `--webhook URL`: where the digest of a run is sent when it has ended.

import { parsed, wrong } from '../core/figure/parse-figure.ts';
import { type Option, value } from '../core/option/option.ts';

export const webhookOption: Option<string | undefined> = value({
  name: 'webhook',
  group: 'Output',
  isOfOneCall: true,
  isSecret: true,
  valueName: 'URL',
  meaning:
    'Send the digest of the run to this URL when it has ended (POST, JSON in the form of `plimsoll schema webhook`).',
  parse: text => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    // Its path or query may be a secret: no message repeats it.
    return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
      ? parsed(url.href)
      : wrong(
          'this is not a URL of HTTP without credentials',
          'Write for example https://hooks.example/runs',
        );
  },
});
