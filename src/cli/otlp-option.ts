// `--otlp URL`: where what was measured is sent, to a receiver of OpenTelemetry.

import { otlpEndpoint } from '../config/value-kinds.ts';
import { type Option, value } from '../core/option/option.ts';

const NAMED = { name: 'otlp', isOfOneCall: true, valueName: 'URL', parse: otlpEndpoint } as const;

/** Of a run. */
export const otlpOption: Option<string | undefined> = value({
  ...NAMED,
  group: 'Output',
  meaning:
    'Send histograms and traces of the run to a receiver of OpenTelemetry (OTLP over HTTP, JSON): http://127.0.0.1:4318',
});

/** Of a daemon. */
export const nodeOtlpOption: Option<string | undefined> = value({
  ...NAMED,
  meaning:
    "Send this machine's figures to a receiver of OpenTelemetry (OTLP over HTTP, JSON). Default: otlp.endpoint in config.toml.",
});
