import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { FailureGroup } from '../../../src/core/run/failure-groups.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { runFiles } from '../../../src/metrics/run-files.ts';
import { runPage } from '../../../src/report/html/run-page.ts';
import { runOverTime } from '../../../src/report/run-over-time.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { runConfig } from '../../support/run-records.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A possible name of a server, a model's author or a proxy. */
const HOSTILE = `</script><img onerror=alert(1) src=x>"'\`</style><!--\u0000\u202e&amp;`;

const pageOf = async (more: Partial<Report> = {}, samples = 900): Promise<string> => {
  using directory = temporaryDirectory();
  const run = new MadeUpRun({ directory: directory.path, config: runConfig(), failureShare: 0.01 });
  run.samples(samples, { fromMs: 0, untilMs: 30_000 });
  const report = run.report();
  const overTime = await runOverTime(runFiles(directory.path), { isStreaming: true });
  return runPage({ report: { ...report, ...more }, overTime, fonts: [] });
};

const FAILED: FailureGroup = {
  kind: 'http-status',
  statusCode: 502,
  count: 9,
  warmupCount: 0,
  firstAtNs: 12e9,
  lastAtNs: 18e9,
  message: '# Bad Gateway',
  example: '502 Bad Gateway',
  isVaried: false,
};

const tagsOf = (html: string): readonly string[] => [
  ...new Set([...html.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, name]) => name ?? '')),
];

describe('the report of a run as a page', () => {
  test('is one file without a script, without anything that is fetched, under a policy that refuses both', async () => {
    const html = await pageOf();
    expect(tagsOf(html)).not.toContain('script');
    expect(html).not.toMatch(/\son[a-z]+\s*=|javascript:|style="/i);
    for (const [, address = ''] of html.matchAll(/(?:\s(?:src|href)="|url\(["']?)([^"')]*)/g))
      expect(address).toMatch(/^data:/);
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
    expect(policy.replaceAll('&#39;', "'")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'`,
    );
  });

  test('reports first why requests failed and what to do, and shades in each chart when the server was down', async () => {
    const html = await pageOf({
      counts: { issued: 900, completed: 891, failed: 9, cancelled: 0, unresolved: 0 },
      failures: { groups: [FAILED], outages: [{ fromNs: 12e9, toNs: 19e9, isOver: true, failed: 9 }] },
    });
    expect(textIn(html)).toMatch(
      /The server was down from 0:12 to 0:19; 1.0.% of 900 requests failed: HTTP 502, 502 Bad Gateway .*Failed Why When Message 9 HTTP 502 0:12 to 0:18 502 Bad Gateway A proxy answered, .* The server was down: 0:12 to 0:19, 7 s: 9 requests failed/,
    );
    // Times, output, requests.
    expect(html.match(/<rect class="outage"/g)).toHaveLength(3);
  });

  test('draws the first requests as lanes, and states how many there are', async () => {
    const html = await pageOf();
    expect(html).toMatch(/<h2>Where did the time go <small>[\d,\u202f\u00a0 ]+ measured requests<\/small>/);
    expect(html).toMatch(/<path class="lane-prefill" stroke-width="[\d.]+" d="M/);
    const [chart = ''] = /<svg[^>]*aria-label="Requests as lanes[\s\S]*?<\/svg>/.exec(html) ?? [];
    expect(chart.length).toBeGreaterThan(1_000);
    expect(chart.length).toBeLessThan(128 * 1024);
  });

  test('shows all foreign names as text', async () => {
    const { run, client } = await reportOnce();
    const named = (text: string): Promise<string> =>
      pageOf({
        run: { ...run, model: text, target: text, serverKind: text, dataset: text, id: text },
        notices: [text],
        client: { ...client, verdict: 'client-bound', reasons: [text] },
        environment: { node: text, os: text, cpu: text, cores: 1 },
        failures: { groups: [{ ...FAILED, example: text, message: text }], outages: [] },
      });
    const html = await named(HOSTILE);
    expect(tagsOf(html)).toEqual(tagsOf(await named('calm')));
    expect(html).toContain('&#60;/script&#62;&#60;img onerror=alert(1) src=x&#62;');
    expect(['\u0000', '\u202e'].filter(sign => html.includes(sign))).toEqual([]);
  });

  test('opens with what keeps a run from being believed, and reports "at least" of what is a lower bound', async () => {
    const { client } = await reportOnce();
    const html = await pageOf({
      complete: false,
      interrupted: true,
      incompleteReason: 'the run was interrupted',
      client: { ...client, verdict: 'client-bound', reasons: ['the client was stalled'] },
    });
    expect(textIn(html)).toMatch(
      /Interrupted, client-bound The run was interrupted The client was stalled [\s\S]*at least [\d.]+ req\/s/,
    );
    expect(textIn(html)).not.toMatch(/Trustworthy/);
    expect(textIn(html)).toMatch(/at least \d+ of 900/);
  });

  test('has a dash and "few" in place of a percentile for which there are too few requests', async () => {
    const text = textIn(await pageOf({}, 40));
    expect(text).toContain('few: too few requests; (a–b): 95 % interval, for independent requests');
    expect(text).toMatch(/p90 [\d.]+ ms \([\d.]+–[\d.]+\) · p99: too few/);
    expect(text).toMatch(
      /Time to first token [\d.]+ ms ± [\d.]+ ms [\d.]+ ms [\d.]+ ms \([\d.]+ to [\d.]+ ms\) – few – few – few [\d.]+ ms 39/,
    );
  });

  test('of a run without samples and figures is still a page, which reports what is missing', async () => {
    const report = await reportOnce();
    const html = runPage({ report: { ...report, series: {} }, overTime: undefined, fonts: [] });
    expect(textIn(html)).toMatch(/There are no samples to draw it from\./);
    expect(textIn(html)).toMatch(/No completed request has/);
  });

  test('breaks a long URL rather than hide the last figures of its table', async () => {
    const { run } = await reportOnce();
    const url = 'https://gateway.eu-west-1.clusters.example.com:8443/team';
    const figures = { completed: 1, failed: 0, cancelled: 0, outputTokens: 1 };
    const html = await pageOf({
      run: { ...run, urls: [{ url, weight: 1, serverKind: 'vLLM' }] },
      variants: [{ ...figures, variant: 0, ttftNs: null, tpotNs: null, latencyNs: null }],
    });
    expect(html).toContain(`<th scope="row" class="text">${url}</th>`);
    expect(html).toMatch(/th\.text:first-child \{[^}]*overflow-wrap: anywhere/);
  });

  test('carries the raw report as a link that saves it', async () => {
    const html = await pageOf();
    const [, base64 = ''] = /href="data:application\/json;base64,([^"]+)"/.exec(html) ?? [];
    expect(JSON.parse(Buffer.from(base64, 'base64').toString('utf8'))).toMatchObject({
      schema: 'plimsoll.report/1',
    });
  });
});

const reportOnce = async (): Promise<Report> => {
  using directory = temporaryDirectory();
  const run = new MadeUpRun({ directory: directory.path });
  run.samples(900, { fromMs: 0, untilMs: 30_000 });
  return run.report();
};

/** What a reader sees, roughly. */
const textIn = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/[\s\u00a0\u202f]+/g, ' ');
