import staticFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Compressed files of the build beside the original, for clients that accept them. */
const COMPRESSED = /\.(?:br|gz)$/;

/** A name with its content's hash never means anything else. */
const HASHED_NAME = /\.[0-9a-f]{10}\.\w+$/;

/**
 * Serves the files of `root` under `/static/`. Each file that is there now gets a route, and nothing else has
 * one: no path of a request ever reaches the file system.
 */
export async function addStaticFiles(app: FastifyInstance, root: string): Promise<void> {
  await app.register(staticFiles, {
    root,
    serve: false,
    cacheControl: false,
    dotfiles: 'deny',
    preCompressed: true,
  });
  for (const path of listServedFiles(root)) {
    const caching = HASHED_NAME.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    app.route({
      method: ['GET', 'HEAD'],
      url: `/static/${path}`,
      handler: (_request, reply) => reply.header('cache-control', caching).sendFile(path),
    });
  }
}

/** Plain names, as the build gives them: nothing that is hidden, or that means something in a route. */
const PLAIN_PATH = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

/**
 * Paths of the files that may be served, relative to `root`, with slashes. Left out: what is no ordinary file (a
 * symbolic link may lead anywhere) and what has one for its compressed form, what is hidden, what stands compressed
 * beside another, and source maps, which are for developers.
 */
export function listServedFiles(root: string): string[] {
  const entries = listEntries(root);
  const others = new Set(entries.filter(({ isFile }) => !isFile).map(({ path }) => path));
  return entries
    .filter(({ path, isFile }) => isFile && !others.has(`${path}.br`) && !others.has(`${path}.gz`))
    .map(({ path }) => path)
    .filter((path) => PLAIN_PATH.test(path) && !path.endsWith('.map') && !COMPRESSED.test(path));
}

/** Files, folders, links and whatever else there is. Node's own `recursive` follows links to folders, from 22 on. */
function listEntries(root: string, folder = ''): { readonly path: string; readonly isFile: boolean }[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const here = entries.map((entry) => ({ path: `${folder}${entry.name}`, isFile: entry.isFile() }));
  const folders = entries.filter((entry) => entry.isDirectory());
  return here.concat(folders.flatMap(({ name }) => listEntries(root, `${folder}${name}/`)));
}
