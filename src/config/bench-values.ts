// Values of [bench]: what this machine may load on behalf of others. A target is an origin, whole and without wildcards:
// with a pattern, anyone who can add a name to that domain could choose the target.

import { isAbsolute } from 'node:path';
import { barredAddress } from '../core/address/server-address.ts';
import { parsed, wrong } from '../core/figure/parse-figure.ts';
import { withoutCredentials } from './config-problem.ts';
import { textUpTo, type ValueParser } from './config-values.ts';

/** "https://llm.example.net:8443", in the one spelling of URL.origin. */
export const targetOrigin: ValueParser<string> = value => {
  const text = textUpTo(300)(value);
  if (text.kind === 'wrong') return text;
  const url = URL.canParse(text.value) ? new URL(text.value) : undefined;
  const shown = JSON.stringify(withoutCredentials(text.value).slice(0, 80));
  if (url === undefined || !/^https?:\/\//i.test(text.value)) {
    return wrong(`${shown} is not an origin`, EXAMPLE);
  }
  if (url.host.includes('*')) {
    return wrong(`${shown} has a wildcard`, `Write each target out: ${url.protocol}//HOST:PORT.`);
  }
  if (url.username !== '' || url.password !== '') {
    return wrong(`${shown} has credentials in it`, `Write the origin alone: "${url.origin}".`);
  }
  if ((url.pathname !== '/' && url.pathname !== '') || url.search !== '' || url.hash !== '') {
    return wrong(`${shown} is more than an origin`, `Write the origin alone: "${url.origin}".`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const barred = barredAddress(host, host);
  // What a name leads to is looked at when a load begins.
  if (barred === undefined || barred.kind === 'not-an-address') return parsed(url.origin);
  return wrong(
    `${shown} is at ${host}, ${barred.text}`,
    barred.kind === 'loopback'
      ? `No setting allows this spelling. Write the loopback address itself: ${url.protocol}//127.0.0.1:8000.`
      : 'No setting allows a load there. Name the address of a server.',
  );
};

/** Where the API key for a target is; never the key. */
export interface TargetKey {
  readonly origin: string;
  readonly source:
    | { readonly kind: 'variable'; readonly name: string }
    | { readonly kind: 'file'; readonly path: string };
}

/** "https://llm.example.net LLM_KEY", or a file: "https://llm.example.net /run/secrets/llm". Never the key itself. */
export const keyOfTarget: ValueParser<TargetKey> = value => {
  const text = textUpTo(2_000)(value);
  if (text.kind === 'wrong') return text;
  const [, first = '', source = ''] = /^(\S+) +(\S.*)$/.exec(text.value) ?? [];
  const origin = targetOrigin(first);
  // The value may be the key itself: it is not shown.
  if (first === '') return wrong('this does not name a target and the source of its key', KEY_EXAMPLE);
  if (origin.kind === 'wrong') return origin;
  if (isAbsolute(source)) return parsed({ origin: origin.value, source: { kind: 'file', path: source } });
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,100}$/.test(source)) {
    return wrong(
      `what follows ${origin.value} is neither the name of a variable nor the absolute path of a file`,
      KEY_EXAMPLE,
    );
  }
  return parsed({ origin: origin.value, source: { kind: 'variable', name: source } });
};

const EXAMPLE =
  'Write scheme, host and port, for example "https://llm.example.net" or "http://10.0.0.7:8000".';
const KEY_EXAMPLE =
  'Write the origin, a space, and an environment variable or a file: "https://llm.example.net LLM_KEY", "http://10.0.0.7:8000 /run/secrets/llm".';
