// One file of a Hugging Face hub, downloaded into a cache: resumed where an earlier try ended, checked against the digest that the hub
// reports, and complete or not there. The protocol is that of huggingface_hub (file_download.py): `resolve` answers with the etag of
// the content, for large files its SHA-256, and redirects to where the bytes are.

import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { deadline } from '../clock/deadline.ts';
import { INPUT_LIMITS, type InputKind } from '../core/input/input-limits.ts';
import { errorCode, errorMessage, type Problem, ProblemError } from '../core/problem.ts';
import { diskReason } from '../process/disk-reason.ts';
import { lockFile } from '../process/file-lock.ts';
import { openInputFile } from '../process/input-file.ts';

/** Two sentences for a person. */
export class HubError extends ProblemError<Problem<'hub' | 'hub-unreachable'>> {
  override readonly name = 'HubError';
}

export interface HubAccess {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** Sent to the endpoint alone. */
  readonly token: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Of the file that arrives, about ten times. */
  readonly progress: (receivedBytes: number, totalBytes: number) => void;
}

interface HubFile {
  readonly url: URL;
  /** For messages: "hf:org/name:train.jsonl". */
  readonly shown: string;
  /** Where contents are stored, by etag. */
  readonly blobs: string;
  /** Whose limit it has. */
  readonly input: InputKind;
}

/** @returns the path of its content. @throws HubError; the signal's reason */
export const downloadHubFile = async (file: HubFile, access: HubAccess): Promise<string> => {
  const { etag, bytes } = await contentOf(file, access);
  const { bytesMax } = INPUT_LIMITS[file.input];
  if (bytes > bytesMax)
    throw new HubError({
      code: 'hub',
      problem: `${file.shown} has ${bytes} bytes, more than ${bytesMax}`,
      advice: INPUT_LIMITS[file.input].advice,
    });
  const path = join(file.blobs, etag);
  if (await isFile(path)) return path;
  try {
    await mkdir(join(file.blobs, LOCKS), { recursive: true });
    using lock = lockFile(join(file.blobs, LOCKS, etag));
    if (lock === undefined)
      throw new HubError({
        code: 'hub',
        problem: `${file.shown} is being downloaded by another process`,
        advice: 'Wait until it is complete, then try again.',
      });
    await downloaded(file, access, { etag, bytes, path });
    return path;
  } catch (error) {
    if (error instanceof HubError || access.signal.aborted || errorCode(error) === undefined) throw error;
    throw new HubError(
      {
        code: 'hub',
        problem: `${file.shown} cannot be stored in ${dirname(file.blobs)}: ${diskReason(error)}`,
        advice: 'Free some space, or name another cache: HF_HUB_CACHE=DIR',
      },
      { cause: error },
    );
  }
};

interface HubContent {
  readonly etag: string;
  readonly bytes: number;
}

/** By the head of the reply, or of the redirect to another host that has the bytes. */
const contentOf = async (file: HubFile, access: HubAccess): Promise<HubContent> => {
  const { headers } = await hubReply(file, access, { method: 'HEAD' });
  const etag = (headers.get('x-linked-etag') ?? headers.get('etag') ?? '')
    .replace(/^W\//, '')
    .replaceAll('"', '');
  const bytes = Number(headers.get('x-linked-size') ?? headers.get('content-length') ?? Number.NaN);
  if (ETAG.test(etag) && Number.isSafeInteger(bytes) && bytes >= 0) return { etag, bytes };
  throw new HubError({
    code: 'hub',
    problem: `${new URL(file.url).origin} reports neither digest nor size of ${file.shown}`,
    advice: 'Check HF_ENDPOINT: it is the address of a hub, such as https://huggingface.co.',
  });
};

const downloaded = async (
  file: HubFile,
  access: HubAccess,
  { etag, bytes, path }: HubContent & { readonly path: string },
): Promise<void> => {
  const incomplete = `${path}.incomplete`;
  const { clock, signal } = access;
  const untilMs = clock.nowMs() + DOWNLOAD_MS_MAX;
  let failed = 0;
  // Of an empty file nothing arrives.
  await (await open(incomplete, 'a', 0o644)).close();
  for (;;) {
    const before = await bytesOf(incomplete);
    if (before === bytes) break;
    const problem = await takeRest(file, access, { bytes, incomplete, before });
    signal.throwIfAborted();
    if (problem === undefined) continue;
    // A connection that brings something each time is slow, not broken.
    failed = (await bytesOf(incomplete)) > before ? 1 : failed + 1;
    if (failed >= TRIES_MAX || clock.nowMs() >= untilMs)
      throw new HubError({
        code: 'hub',
        problem: `${file.shown} did not arrive: ${problem}`,
        advice: 'Try again: the part that is here is kept, and the rest is requested.',
      });
    await clock.sleep(failed === 1 ? 0 : RETRY_MS, signal);
  }
  if (!(await hasDigest(incomplete, { etag, bytes, input: file.input }))) {
    await rm(incomplete, { force: true });
    throw new HubError({
      code: 'hub',
      problem: `${file.shown} is damaged: its digest is not the one that the hub reports`,
      advice:
        'It was removed. Try again; if it happens again, something between here and the hub changes files.',
    });
  }
  await rename(incomplete, path);
};

/** @returns why it ended before the last byte. @throws the system's error of the disk; HubError for a refusal */
const takeRest = async (
  file: HubFile,
  access: HubAccess,
  {
    bytes,
    incomplete,
    before,
  }: { readonly bytes: number; readonly incomplete: string; readonly before: number },
): Promise<string | undefined> => {
  const quiet = new AbortController();
  const response = await hubReply(
    file,
    { ...access, signal: AbortSignal.any([access.signal, quiet.signal]) },
    { ...(before === 0 ? {} : { range: `bytes=${before}-` }) },
  ).catch((error: unknown) => {
    if (error instanceof HubError && error.code === 'hub-unreachable') return error.problem.problem;
    throw error;
  });
  if (typeof response === 'string') return response;
  if (response.status >= 400) {
    await response.body?.cancel();
    // The part that is here is no beginning of the file.
    if (response.status === 416) await rm(incomplete, { force: true });
    return `status ${response.status}`;
  }
  const isRest =
    response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${before}-`) === true;
  await using out = await open(incomplete, 'a', 0o644);
  if (!isRest) await out.truncate(0);
  let taken = isRest ? before : 0;
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined) {
      using limit = deadline(access.clock, QUIET_MS_MAX, access.signal);
      limit.signal.addEventListener('abort', () => quiet.abort(), { once: true });
      const { done, value } = await reader.read();
      if (done) break;
      const step = Math.floor((taken * PROGRESS_STEPS) / bytes);
      taken += value.byteLength;
      if (taken > bytes) return `more than the ${bytes} bytes that were reported`;
      await out.writeFile(value);
      if (Math.floor((taken * PROGRESS_STEPS) / bytes) > step) access.progress(taken, bytes);
    }
  } catch (error) {
    if (access.signal.aborted) return 'it was stopped';
    if (DISK_CODES.has(errorCode(error) ?? '')) throw error;
    return quiet.signal.aborted ? `nothing came for ${QUIET_MS_MAX / 1_000} s` : reasonOf(error);
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
  return taken === bytes ? undefined : `the connection ended after ${taken} of ${bytes} bytes`;
};

/**
 * Follows redirects. The token goes to the endpoint alone, and nothing from TLS to plain text.
 * @throws HubError if it cannot be reached, or refuses
 */
export const hubReply = async (
  { url: requested, shown }: Pick<HubFile, 'url' | 'shown'>,
  { endpoint, token, clock, signal }: Pick<HubAccess, 'endpoint' | 'token' | 'clock' | 'signal'>,
  { method = 'GET', range }: { readonly method?: 'GET' | 'HEAD'; readonly range?: string } = {},
): Promise<Response> => {
  const { origin } = new URL(endpoint);
  let url = requested;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await replyOf(
      url,
      {
        method,
        clock,
        signal,
        headers: {
          // Sizes and ranges are those of the file itself.
          'accept-encoding': 'identity',
          ...(token === undefined || url.origin !== origin ? {} : { authorization: `Bearer ${token}` }),
          ...(range === undefined ? {} : { range }),
        },
      },
      shown,
    );
    if (response.status < 300 || response.status >= 400)
      return refused(response, { url, shown, hasToken: token !== undefined });
    await response.body?.cancel();
    const next = URL.parse(response.headers.get('location') ?? '', url.href);
    // The head of the hub's own reply has the digest.
    if (
      method === 'HEAD' &&
      next !== null &&
      next.origin !== url.origin &&
      response.headers.has('x-linked-etag')
    )
      return response;
    if (
      next === null ||
      !/^https?:$/.test(next.protocol) ||
      (url.protocol === 'https:' && next.protocol !== 'https:')
    )
      throw new HubError({
        code: 'hub',
        problem: `${url.origin} redirects ${shown} to an address that is not followed`,
        advice: 'Check HF_ENDPOINT.',
      });
    url = next;
  }
  throw new HubError({
    code: 'hub',
    problem: `${requested.origin} redirects ${shown} more than ${REDIRECTS_MAX} times`,
    advice: 'Check HF_ENDPOINT.',
  });
};

const replyOf = async (
  url: URL,
  {
    clock,
    signal,
    ...request
  }: {
    readonly method: string;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly headers: Readonly<Record<string, string>>;
  },
  shown: string,
): Promise<Response> => {
  using limit = deadline(clock, QUIET_MS_MAX, signal);
  const head = new AbortController();
  limit.signal.addEventListener('abort', () => head.abort(), { once: true });
  try {
    return await fetch(url, {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.any([signal, head.signal]),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new HubError(
      {
        code: 'hub-unreachable',
        problem: `${url.origin} cannot be reached for ${shown}: ${limit.isOver ? `no answer within ${QUIET_MS_MAX / 1_000} s` : reasonOf(error)}`,
        advice: 'Check the network and HF_ENDPOINT, or download it elsewhere and copy it into the cache.',
      },
      { cause: error },
    );
  }
};

const refused = async (
  response: Response,
  { url, shown, hasToken }: { readonly url: URL; readonly shown: string; readonly hasToken: boolean },
): Promise<Response> => {
  const { status } = response;
  const known = status === 401 || status === 403 || status === 404;
  if (!known) return response;
  await response.body?.cancel();
  throw new HubError({
    code: 'hub',
    problem:
      status === 404
        ? `${url.origin} has no ${shown} (status 404)`
        : `${url.origin} has no ${shown}, or does not give it to ${hasToken ? 'this token' : 'anybody without a token'} (status ${status})`,
    advice:
      status === 404
        ? 'Check the name, and that it is the right kind: --dataset takes data sets, --tokenizer models.'
        : 'Check the name. Of a private or gated one, accept its terms and set HF_TOKEN.',
  });
};

/** Of a large file the etag is its SHA-256; of others git's own digest (git hash-object). Other etags prove nothing. */
const hasDigest = async (
  path: string,
  { etag, bytes, input }: HubContent & Pick<HubFile, 'input'>,
): Promise<boolean> => {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(etag)) return true;
  const hash = etag.length === 64 ? createHash('sha256') : createHash('sha1').update(`blob ${bytes}\0`);
  await using file = await openInputFile(path, input);
  for await (const part of file.createReadStream()) hash.update(part);
  return hash.digest('hex') === etag;
};

const bytesOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
};

const isFile = async (path: string): Promise<boolean> =>
  await stat(path).then(
    found => found.isFile(),
    () => false,
  );

const reasonOf = (error: unknown): string =>
  errorMessage(error instanceof Error && error.cause !== undefined ? error.cause : error).slice(0, 200);

const DISK_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EIO']);
const LOCKS = '.plimsoll-locks';
/** A name of a file in any cache. */
const ETAG = /^[\w-]{8,128}$/;
const REDIRECTS_MAX = 5;
/** In a row that bring nothing. */
const TRIES_MAX = 5;
const RETRY_MS = 250;
const QUIET_MS_MAX = 30_000;
const DOWNLOAD_MS_MAX = 3_600_000;
const PROGRESS_STEPS = 10;
