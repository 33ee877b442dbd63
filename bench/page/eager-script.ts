import { gzipSync } from 'node:zlib';

/** The size, compressed, of all scripts that the page names or holds: it runs only once it has them. */
export async function eagerScriptBytes(url: string): Promise<number> {
  const html = (await read(url)).toString();
  const paths = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, path = '']) => path);
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, text = '']) => text,
  );
  if (paths.length === 0) throw new Error('the page names no script: the measure would be of nothing');
  const scripts = await Promise.all(paths.map((path) => read(new URL(path, url))));
  return [...inline, ...scripts].reduce((sum, script) => sum + gzipSync(script).length, 0);
}

async function read(url: string | URL): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${String(url)} was answered with ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
