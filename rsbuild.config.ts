import { createHash } from 'node:crypto';
import { defineConfig, type RsbuildConfig, type RsbuildPlugin } from '@rsbuild/core';
import { pluginAssetsRetry } from '@rsbuild/plugin-assets-retry';
import { pluginReact } from '@rsbuild/plugin-react';
import { DEFAULT_EVENT_ID } from './domain/event.ts';

/** A part that has not loaded after this long counts as failed, and is asked for again. */
const CHUNK_LOAD_TIMEOUT_MS = 120_000;

/** What `web` is built from and into; a test may build a variant of it elsewhere. */
export function boardBuild(
  options: { readonly outputFolder?: string; readonly chunkLoadTimeoutMs?: number } = {},
): RsbuildConfig {
  const { outputFolder = 'build/web', chunkLoadTimeoutMs = CHUNK_LOAD_TIMEOUT_MS } = options;
  return defineConfig({
    plugins: [
      pluginReact(),
      // Asks for a file that failed again and again, each time under a fresh address: the same one would
      // only rejoin the call that hangs. A file of its own: the page allows no inline script.
      pluginAssetsRetry({
        inlineScript: false,
        addQuery: true,
        max: Infinity,
        type: ['script', 'link'],
        delay: ({ times }) => Math.min(30_000, 1_000 * 2 ** times),
      }),
      serveRetryRuntime(),
      serveDevelopment(),
    ],
    source: { entry: { index: ['./web/design/design.css', './web/main.tsx'] } },
    html: { template: './web/index.html', favicon: './web/design/favicon.svg' },
    output: {
      distPath: { root: outputFolder, favicon: 'static/image' },
      cleanDistPath: true,
      // The page allows no data: address.
      dataUriLimit: 0,
      legalComments: 'none',
      overrideBrowserslist: ['chrome >= 107', 'edge >= 107', 'firefox >= 107', 'safari >= 16.1'],
    },
    performance: {
      preload: { type: 'all-assets', include: [/inter-latin-opsz-normal/] },
    },
    tools: { rspack: { output: { chunkLoadTimeout: chunkLoadTimeoutMs } } },
    server: { proxy: { '/api': 'http://127.0.0.1:3000', '/config.json': 'http://127.0.0.1:3000' } },
  });
}

/**
 * Gives the run-time of assets-retry what the other scripts have: a name with its content's hash, as
 * everything under /static/js may be kept for ever, and `defer`, as a script that hangs must not hold back the page.
 */
function serveRetryRuntime(): RsbuildPlugin {
  const hashedNames = new Map<string, string>();
  return {
    name: 'triagem:serve-retry-runtime',
    setup(api) {
      api.processAssets({ stage: 'derived' }, ({ assets, compilation }) => {
        for (const [name, source] of Object.entries(assets)) {
          if (!/\/assets-retry\.[^/]*\.js$/.test(name)) continue;
          const hash = createHash('sha256').update(source.source()).digest('hex').slice(0, 10);
          const hashed = name.replace(/\.js$/, `.${hash}.js`);
          compilation.renameAsset(name, hashed);
          hashedNames.set(`/${name}`, `/${hashed}`);
        }
      });
      api.modifyHTMLTags({
        order: 'post',
        handler(tags) {
          for (const { attrs } of tags.headTags) {
            const hashed = typeof attrs?.['src'] === 'string' && hashedNames.get(attrs['src']);
            if (attrs && hashed) Object.assign(attrs, { src: hashed, defer: true });
          }
          return tags;
        },
      });
    },
  };
}

/** In production the server fills index.html's tokens; `npm run dev` has only the build. */
function serveDevelopment(): RsbuildPlugin {
  const tokens: Record<string, string> = {
    title: 'Triagem',
    eventId: DEFAULT_EVENT_ID,
    demonstration: '',
    build: 'development',
  };
  return {
    name: 'triagem:serve-development',
    apply: 'serve',
    setup(api) {
      // Its start empties its folder: not that of the build.
      api.modifyRsbuildConfig((config, { mergeRsbuildConfig }) =>
        mergeRsbuildConfig(config, { output: { distPath: { root: 'build/web-development' } } }),
      );
      api.modifyHTML((html) =>
        html.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => tokens[name] ?? whole),
      );
    },
  };
}

export default boardBuild();
