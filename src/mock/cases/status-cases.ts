// Unsuccessful replies: statuses of servers, proxies and content delivery networks, with their bodies.

import { gzipSync } from 'node:zlib';
import { completed, failedAs, status, timeout } from '../failure.ts';
import {
  atOnce,
  type CaseReply,
  CHUNKED_FIELD,
  CLOSED,
  casesOf,
  chunksOf,
  type FaultCase,
  headOf,
  KEEP,
  LAST_CHUNK,
  RESET_SOON,
  repeatedEvery,
  SILENT,
  trueLength,
  WHOLE,
} from './fault-case.ts';

const { both, apart } = casesOf('status');

const reply =
  (code: number, body: string | Buffer, ...fields: readonly string[]) =>
  (): CaseReply =>
    atOnce(KEEP, headOf(`HTTP/1.1 ${code} Status`, trueLength(body), ...fields), body);

/** One row for a status with this body and these fields. */
const refused = (
  name: string,
  code: number,
  meaning: string,
  body: string | Buffer,
  ...fields: readonly string[]
): FaultCase => both(name, meaning, status(code), reply(code, body, ...fields));

const page = (title: string): string =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;

const HTML = 'content-type: text/html';
const JSON_TYPE = 'content-type: application/json';
const problem = (message: string): string =>
  JSON.stringify({ error: { message, type: 'error', code: null } });

/** Of Cloudflare, developers.cloudflare.com/support/troubleshooting/http-status-codes. */
const CLOUDFLARE: Readonly<Record<number, string>> = {
  520: 'Web server returned an unknown error',
  521: 'Web server is down',
  522: 'Connection timed out',
  523: 'Origin is unreachable',
  524: 'A timeout occurred',
  525: 'SSL handshake failed',
  526: 'Invalid SSL certificate',
  527: 'Railgun error',
};

export const STATUS_CASES: readonly FaultCase[] = [
  refused('status-300', 300, '300 with choices', '', 'location: /a'),
  refused('status-301', 301, '301 to https', '', 'location: https://other.example/v1'),
  refused('status-302', 302, '302 to a login page', page('Found'), HTML, 'location: /login?next=%2Fv1'),
  refused('status-303', 303, '303 without Location', ''),
  both('status-304', '304 although nothing was cached', status(304), () =>
    atOnce(KEEP, headOf('HTTP/1.1 304 Not Modified', 'etag: "a"')),
  ),
  refused(
    'status-308',
    308,
    '308 with credentials in Location',
    '',
    'location: https://user:secret@other.example/v1?key=secret',
  ),
  refused(
    'status-400-html',
    400,
    '400 of nginx for a plain request to a TLS port',
    page('400 The plain HTTP request was sent to HTTPS port'),
    HTML,
  ),
  refused('status-401-basic', 401, '401 that asks for a password', '', 'www-authenticate: Basic realm="a"'),
  refused('status-402', 402, '402: the credit is used up', problem('Insufficient credits'), JSON_TYPE),
  refused('status-403-waf', 403, '403 of a firewall', page('Attention Required! | Cloudflare'), HTML),
  refused('status-404-ollama', 404, '404 in plain text', '404 page not found', 'content-type: text/plain'),
  refused('status-404-ngrok', 404, '404 of a tunnel that is gone', page('ERR_NGROK_3200'), HTML),
  refused(
    'status-405',
    405,
    '405 in the words of FastAPI',
    '{"detail":"Method Not Allowed"}',
    JSON_TYPE,
    'allow: GET',
  ),
  refused('status-407', 407, '407 of a proxy', '', 'proxy-authenticate: Basic realm="proxy"'),
  refused(
    'status-408-closed',
    408,
    '408 and the end of the connection, although the request was whole',
    '',
    'connection: close',
  ),
  refused('status-409', 409, '409: the model is being loaded', problem('model is loading'), JSON_TYPE),
  refused('status-410', 410, '410: the model is gone', problem('model was removed'), JSON_TYPE),
  refused('status-411', 411, '411 although there was a length', ''),
  refused('status-413', 413, '413 of nginx', page('413 Request Entity Too Large'), HTML, 'connection: close'),
  refused('status-414', 414, '414', ''),
  refused('status-415', 415, '415', ''),
  refused('status-417', 417, '417', ''),
  refused('status-421', 421, '421: another server has that name', ''),
  refused(
    'status-422-list',
    422,
    '422 with a list of details, as FastAPI answers',
    '{"detail":[{"loc":["body","messages"],"msg":"field required"}]}',
    JSON_TYPE,
  ),
  refused('status-425', 425, '425', ''),
  refused('status-426', 426, '426: HTTP/2 is wanted', '', 'upgrade: h2c', 'connection: upgrade'),
  refused(
    'status-429-seconds',
    429,
    '429 with retry-after: 30',
    problem('Rate limit reached'),
    JSON_TYPE,
    'retry-after: 30',
  ),
  refused(
    'status-429-date',
    429,
    '429 with a date in retry-after',
    problem('Rate limit reached'),
    JSON_TYPE,
    'retry-after: Wed, 21 Oct 2026 07:28:00 GMT',
  ),
  refused(
    'status-429-fraction',
    429,
    '429 with retry-after: 0.5, and limits in x-ratelimit fields',
    '',
    'retry-after: 0.5',
    'x-ratelimit-remaining-tokens: 0',
  ),
  refused('status-429-nonsense', 429, '429 with retry-after: soon', '', 'retry-after: soon'),
  refused('status-431', 431, '431', ''),
  refused('status-451', 451, '451', ''),
  refused('status-499', 499, '499, with which nginx says that the client left', ''),
  refused('status-500-html', 500, '500 with a page of HTML', page('500 Internal Server Error'), HTML),
  refused('status-500-empty', 500, '500 without a body', ''),
  refused(
    'status-500-array',
    500,
    '500 with an error in a list, as Google answers',
    `[${problem('backend error')}]`,
    JSON_TYPE,
  ),
  refused(
    'status-500-gzip',
    500,
    '500 whose error is compressed',
    gzipSync(problem('out of memory')),
    JSON_TYPE,
    'content-encoding: gzip',
  ),
  refused(
    'status-500-json-cut',
    500,
    '500 with half a JSON text',
    problem('out of memory').slice(0, 20),
    JSON_TYPE,
  ),
  refused('status-500-binary', 500, '500 with bytes that are no text', Buffer.from('00ff00ff80', 'hex')),
  refused('status-502-nginx', 502, '502 of nginx', page('502 Bad Gateway'), HTML, 'server: nginx/1.25.3'),
  refused('status-502-traefik', 502, '502 of Traefik', 'Bad Gateway', 'content-type: text/plain'),
  refused(
    'status-503-envoy',
    503,
    '503 of Envoy',
    'upstream connect error or disconnect/reset before headers. reset reason: connection failure',
    'server: envoy',
  ),
  refused(
    'status-503-haproxy',
    503,
    '503 of HAProxy',
    '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n',
    HTML,
  ),
  refused(
    'status-503-loading',
    503,
    '503 of llama.cpp while it loads',
    '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}',
    JSON_TYPE,
  ),
  refused(
    'status-503-date',
    503,
    '503 with a date in retry-after',
    '',
    'retry-after: Fri, 31 Dec 1999 23:59:59 GMT',
  ),
  refused(
    'status-504-alb',
    504,
    '504 of a load balancer',
    page('504 Gateway Time-out'),
    HTML,
    'server: awselb/2.0',
  ),
  refused('status-505', 505, '505', ''),
  refused('status-507', 507, '507', ''),
  refused('status-511', 511, '511 of a captive portal', page('Network Authentication Required'), HTML),
  ...Object.entries(CLOUDFLARE).map(([code, reason]) =>
    refused(
      `status-${code}`,
      Number(code),
      `${code} of Cloudflare: ${reason.toLowerCase()}`,
      page(reason),
      HTML,
      'server: cloudflare',
    ),
  ),
  refused(
    'status-529',
    529,
    '529: overloaded',
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    JSON_TYPE,
  ),
  refused('status-599', 599, '599 of a proxy that waited', ''),
  refused('status-999', 999, '999', ''),
  both('status-500-chunked', '500 in chunks', status(500), () =>
    atOnce(KEEP, headOf('HTTP/1.1 500 Oops', CHUNKED_FIELD), chunksOf(problem('a'), '\n'), LAST_CHUNK),
  ),
  both('status-500-cut', '500 whose body breaks off', status(500), () =>
    atOnce(CLOSED, headOf('HTTP/1.1 500 Oops', 'content-length: 500'), 'half'),
  ),
  both('status-500-reset', '500 whose body ends in a reset', status(500), () =>
    atOnce(RESET_SOON, headOf('HTTP/1.1 500 Oops', 'content-length: 500'), 'half'),
  ),
  both('status-500-stalls', '500 whose body never comes', status(500), () =>
    atOnce(SILENT, headOf('HTTP/1.1 500 Oops', 'content-length: 500')),
  ),
  both('status-500-endless', '500 whose body never ends', status(500), () => ({
    writes: [
      { bytes: headOf('HTTP/1.1 500 Oops'), atMs: 0 },
      { bytes: Buffer.from('no '), atMs: 1 },
    ],
    ending: repeatedEvery(20),
  })),
  both('status-500-huge', '500 with 256 KiB of text', status(500), reply(500, 'x'.repeat(262_144))),
  both(
    'status-500-success-inside',
    '500 with a right completion in it',
    status(500),
    reply(500, WHOLE, JSON_TYPE),
  ),
  both('status-206', '206 with the whole body', completed, request =>
    atOnce(
      KEEP,
      headOf('HTTP/1.1 206 Partial Content', `content-type: ${request.type}`, trueLength(request.body)),
      request.body,
    ),
  ),
  both('status-299', '299 with a right body', completed, request =>
    atOnce(
      KEEP,
      headOf('HTTP/1.1 299 Fine', `content-type: ${request.type}`, trueLength(request.body)),
      request.body,
    ),
  ),
  both('status-202', '202 with nothing in it yet', failedAs('empty'), () =>
    atOnce(KEEP, headOf('HTTP/1.1 202 Accepted', 'content-length: 0')),
  ),
  apart(
    'status-205',
    '205 with a length and no body',
    { streaming: timeout('idle'), plain: timeout('idle') },
    () => atOnce(SILENT, headOf('HTTP/1.1 205 Reset Content', 'content-length: 10')),
  ),
];
