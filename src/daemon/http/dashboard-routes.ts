// The page and its files. The page's own addresses (/nodes/…, /runs/…, /links) give the page; any other unknown path is
// a 404, so that a mistyped address or asset never looks like an answer. A browser that goes to one gets that 404 with the
// page, which says in words that there is nothing.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Asset, DashboardFiles } from './dashboard-files.ts';
import { type ApiRoute, urlPath } from './routes.ts';
import { unmatched } from './unmatched.ts';

export const addDashboardRoutes = (
  app: FastifyInstance,
  files: DashboardFiles | undefined,
  routes: readonly ApiRoute[],
): void => {
  app.get('/*', async (request, reply) => {
    const path = urlPath(request.url);
    if (PAGE.test(path)) {
      const index = await files?.index();
      return index === undefined ? sendUnbuilt(reply) : sendAsset(request, reply, index);
    }
    const asset = await files?.find(path);
    if (asset !== undefined) return sendAsset(request, reply, asset);
    const refusal = unmatched(request.raw, routes);
    const index = isVisit(request, path) ? await files?.index() : undefined;
    if (refusal.status !== 404 || index === undefined) throw refusal;
    return reply.code(404).header('cache-control', 'no-store').type(index.contentType).send(index.body);
  });
};

const sendAsset = (request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply => {
  reply.header('cache-control', asset.cacheControl).header('etag', asset.etag);
  if (asset.gzipped !== undefined) reply.header('vary', 'accept-encoding');
  if (listed(request.headers['if-none-match']).includes(asset.etag)) return reply.code(304).send();
  reply.type(asset.contentType);
  if (asset.gzipped === undefined || !acceptsGzip(request.headers['accept-encoding'])) {
    return reply.send(asset.body);
  }
  return reply.header('content-encoding', 'gzip').send(asset.gzipped);
};

/** Somebody typed the address or followed a link: browsers say so (RFC 9110 Accept), and pages have no file's ending. */
const isVisit = ({ headers }: FastifyRequest, path: string): boolean =>
  headers.accept?.startsWith('text/html') === true && !path.startsWith('/api/') && !/\.\w+$/.test(path);

const sendUnbuilt = (reply: FastifyReply): FastifyReply =>
  reply.code(503).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(UNBUILT_PAGE);

const listed = (header: string | undefined): readonly string[] =>
  header?.split(',').map(part => part.trim().replace(/^W\//, '')) ?? [];

const acceptsGzip = (header: string | undefined): boolean =>
  header?.split(',').some(part => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(part)) ?? false;

const PAGE = /^\/(?:index\.html|(?:links|nodes|runs)(?:\/(?!\.{1,2}(?:\/|$))[^/]*){0,3})?$/;

const UNBUILT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Plimsoll</title>
<h1>The dashboard is not built</h1>
<p>The daemon runs. Build its page with <code>npm run build</code> and reload, or read
<a href="/api/state">/api/state</a>, <a href="/metrics">/metrics</a> and <a href="/openapi.json">/openapi.json</a>.</p>
`;
