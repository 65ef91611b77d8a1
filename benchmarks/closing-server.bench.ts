// Time to first token behind a round trip of 40 ms, over TLS, of a server that takes 53 ms and closes the connection after each reply
// although it announces to keep it (llama-server): what is possible is 93 ms. The relay delays bytes, not the TCP handshake.

import { farTlsServer } from '../test/bench/load/far-tls-server.ts';
import { loadPlan } from '../test/bench/load/load-plan.ts';
import { runHere } from '../test/bench/load/run-here.ts';
import { chunkedStream, STREAM } from '../test/bench/target/reply-shapes.ts';
import { makeCertificate } from '../test/support/certificate.ts';
import { median, printRow } from './bench-row.ts';

const REQUESTS = 200;

const certificate = makeCertificate();
if (certificate === undefined) process.stderr.write('skipped: there is no openssl\n');
else {
  await using server = await farTlsServer(chunkedStream(STREAM), {
    certificate,
    roundTripMs: 40,
    firstByteMs: 53,
  });
  const { samples, counts } = await runHere(
    loadPlan({
      host: '127.0.0.1',
      port: server.port,
      tls: { serverName: '', authorities: certificate.cert, isInsecure: false },
      pattern: { kind: 'concurrency', concurrency: 4 },
      limits: { samplesMax: REQUESTS, durationNs: undefined },
    }),
  );
  const method = `median of ${REQUESTS} requests, 4 at a time`;
  printRow({
    what: 'TTFT behind 40 ms, TLS, server closes after each reply',
    figure: median(samples.map(({ firstContentNs, sentNs }) => (firstContentNs - sentNs) / 1e6)),
    unit: 'ms',
    reach: { kind: 'at-most', value: 100 },
    method,
  });
  printRow({
    what: 'the same: requests that were written to a closing connection',
    figure: counts.stale,
    unit: 'requests',
    reach: { kind: 'at-most', value: 8 },
    method: 'of one run',
  });
}
