import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPages } from './page.ts';

let webRoot: string;
const BOARD = {
  file: 'index.html',
  route: '/',
  title: `<script>"x"&'y'`,
  values: { eventId: '{{title}}', demonstration: 'demo' },
};

beforeAll(() => {
  webRoot = mkdtempSync(join(tmpdir(), 'triagem-page-'));
  writeFileSync(
    join(webRoot, 'index.html'),
    '<i data-m="{{demonstration}}" data-b="{{build}}">{{title}}|{{eventId}}|{{other}}</i>',
  );
});

afterAll(() => rmSync(webRoot, { recursive: true }));

test('a page is filled in one pass, and its values are escaped', () => {
  const { list, buildId } = loadPages(webRoot, [BOARD]);
  expect(list[0]?.html).toBe(
    `<i data-m="demo" data-b="${buildId}">&lt;script&gt;&quot;x&quot;&amp;&#39;y&#39;|{{title}}|{{other}}</i>`,
  );
});

test('the build ID depends on the built files, not on the values that fill them', () => {
  const { buildId } = loadPages(webRoot, [BOARD]);
  expect(loadPages(webRoot, [{ ...BOARD, title: 'another' }]).buildId).toBe(buildId);
  writeFileSync(join(webRoot, 'index.html'), 'another build');
  expect(loadPages(webRoot, [BOARD]).buildId).not.toBe(buildId);
});

test('the policy allows the inline scripts of a page by their hashes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'triagem-page-'));
  writeFileSync(
    join(folder, 'index.html'),
    '<script>one()</script><script defer src="/a.js"></script>\n<script type="module">two()\n</script>',
  );
  // printf 'one()' | openssl dgst -sha256 -binary | base64
  expect(loadPages(folder, [BOARD]).list[0]?.policy).toContain(
    "script-src 'self' 'sha256-HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4=' 'sha256-KUcSpvSxT6ZpY6acqJ+PnKqVvcJP86bOsmFTj6jYNDk=';",
  );
  rmSync(folder, { recursive: true });
});
