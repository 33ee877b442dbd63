import { defineConfig, type RsbuildConfig, type RsbuildPlugin } from '@rsbuild/core';
import { pluginAssetsRetry } from '@rsbuild/plugin-assets-retry';
import { pluginReact } from '@rsbuild/plugin-react';
import { DEFAULT_EVENT_ID } from './domain/event.ts';
import { guidePage } from './tools/guide-page.ts';
import PAGES from './page/pages.json' with { type: 'json' };

/** A part that has not loaded after this long counts as failed, and is asked for again. */
const CHUNK_LOAD_TIMEOUT_MS = 120_000;

/**
 * A page, as page/pages.json lists them; a test may have one of its own. Its folder has index.html, screen.css,
 * main.ts (what connects) and screen.tsx (what draws, with React). It becomes FILE.html.
 */
export interface PageEntry {
  readonly file: string;
  readonly folder: string;
  /** The folder whose index.html the page has, where it has none of its own. */
  readonly htmlOf?: string;
}

/** Every state of the desk, for `npm run dev` and the tests: no build that is served has it. */
export const GALLERY: PageEntry = { file: 'gallery', folder: 'testing/gallery', htmlOf: 'desk/page' };

/** What the pages are built from and into; a test may build a variant of it elsewhere. */
export function boardBuild(
  options: {
    readonly outputFolder?: string;
    readonly pages?: readonly PageEntry[];
  } = {},
): RsbuildConfig {
  const { outputFolder = 'build/web', pages = PAGES } = options;
  const known: readonly PageEntry[] = [...pages, GALLERY];
  const templates = new Map(
    known.map(({ file, folder, htmlOf = folder }) => [file, `./${htmlOf}/index.html`]),
  );
  return defineConfig({
    plugins: [
      pluginReact(),
      // Asks for a file that failed again and again, each time under a fresh address: the same one would only rejoin
      // the call that hangs. It stands in the page itself, which allows this one script: nothing else can fail first.
      pluginAssetsRetry({
        addQuery: true,
        max: Infinity,
        type: ['script', 'link'],
        delay: ({ times }) => Math.min(30_000, 1_000 * 2 ** times),
        onRetry: replacePage,
      }),
      nameLateParts(),
      compileReactAtOnce(),
      guidePage('ajuda'),
      serveDevelopment(),
    ],
    source: {
      // What connects runs before React is read.
      entry: entriesOf(pages),
    },
    html: {
      template: ({ entryName }) => templates.get(entryName),
      favicon: './page/design/favicon.svg',
    },
    output: {
      distPath: { root: outputFolder, favicon: 'static/image' },
      cleanDistPath: true,
      // The page allows no data: address.
      dataUriLimit: 0,
      legalComments: 'none',
      overrideBrowserslist: ['chrome >= 107', 'edge >= 107', 'firefox >= 107', 'safari >= 16.4'],
    },
    performance: {
      preload: { type: 'all-assets', include: [/inter-latin-opsz-normal/] },
    },
    tools: {
      rspack: {
        output: { chunkLoadTimeout: CHUNK_LOAD_TIMEOUT_MS },
        // No page loads a file more because another page has the same module: they share React, and nothing else.
        optimization: { splitChunks: { cacheGroups: { default: false, defaultVendors: false } } },
      },
    },
    server: {
      proxy: {
        '/api': 'http://127.0.0.1:3000',
        '/config.json': 'http://127.0.0.1:3000',
        '/fluxo/api': 'http://127.0.0.1:3000',
      },
    },
  });
}

function entriesOf(pages: readonly PageEntry[]) {
  return Object.fromEntries(
    pages.flatMap(({ file, folder }) => [
      [`${file}-main`, { import: `./${folder}/main.ts`, html: false }],
      [file, { import: [`./${folder}/screen.css`, `./${folder}/screen.tsx`], dependOn: `${file}-main` }],
    ]),
  );
}

/**
 * A page that came just before a deployment names scripts that are gone, and will never run: it is loaded anew as soon
 * as the server has another. One that runs renews itself, in its own time. Runs in the page, by itself: it may use
 * nothing of what stands around it here.
 */
function replacePage({ isAsyncChunk }: { isAsyncChunk: boolean }): void {
  if (isAsyncChunk) return;
  fetch('', { cache: 'no-store' })
    .then((answer) => (answer.ok ? answer.text() : ''))
    .then((html) => {
      const build = html.match(/data-build="([^"]+)"/);
      if (build && build[1] !== document.documentElement.getAttribute('data-build')) location.reload();
    })
    .catch(() => {});
}

/** Names in the page the scripts that it loads late: a page that looks whether a new version is whole finds them. */
function nameLateParts(): RsbuildPlugin {
  return {
    name: 'triagem:name-late-parts',
    setup(api) {
      api.modifyHTMLTags((tags, { compilation, assetPrefix }) => {
        for (const part of compilation.chunks) {
          if (part.canBeInitial()) continue;
          for (const file of part.files) {
            tags.headTags.push({ tag: 'link', attrs: { rel: 'part', href: `${assetPrefix}${file}` } });
          }
        }
        return tags;
      });
    },
  };
}

/**
 * Has the browser compile React whole, beside the page, while it arrives (V8's explicit compile hints): most of it is called
 * at once, and would else be read twice, the second time while the page waits. Other browsers see a comment.
 */
function compileReactAtOnce(): RsbuildPlugin {
  return {
    name: 'triagem:compile-react-at-once',
    apply: 'build',
    setup(api) {
      api.processAssets({ stage: 'optimize-inline' }, ({ compilation, sources }) => {
        const files = [...(compilation.namedChunks.get('lib-react')?.files ?? [])];
        if (files.length === 0) throw new Error('React has no file of its own any more');
        for (const file of files) {
          compilation.updateAsset(
            file,
            (script) => new sources.ConcatSource('//# allFunctionsCalledOnLoad\n', script),
          );
        }
      });
    },
  };
}

/** `npm run dev` has only the build, where in production the server fills the tokens of the pages; and it has the gallery. */
function serveDevelopment(): RsbuildPlugin {
  const tokens: Record<string, string> = {
    title: 'Triagem',
    titleLines: '1',
    eventId: DEFAULT_EVENT_ID,
    demonstration: '',
    build: 'development',
    rows: '',
  };
  return {
    name: 'triagem:serve-development',
    apply: 'serve',
    setup(api) {
      // Its start empties its folder: not that of the build.
      api.modifyRsbuildConfig((config, { mergeRsbuildConfig }) =>
        mergeRsbuildConfig(config, {
          source: { entry: entriesOf([GALLERY]) },
          output: { distPath: { root: 'build/web-development' } },
        }),
      );
      api.modifyHTML((html) =>
        html.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => tokens[name] ?? whole),
      );
    },
  };
}

export default boardBuild();
