import { createRsbuild } from '@rsbuild/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { boardBuild } from '../rsbuild.config.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of a screen whose parts time out after SHORT_CHUNK_TIMEOUT_MS. */
    impatientScreen: string;
  }
}

export const SHORT_CHUNK_TIMEOUT_MS = 1_500;

/** Builds the variant of the screen that no user gets: with a time-out that a test can wait for. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'triagem-screen-'));
  const root = join(import.meta.dirname, '..');
  const config = boardBuild({ outputFolder: folder, chunkLoadTimeoutMs: SHORT_CHUNK_TIMEOUT_MS });
  const rsbuild = await createRsbuild({
    cwd: root,
    config: { ...config, mode: 'production', logLevel: 'error' },
  });
  const { close } = await rsbuild.build();
  await close();
  project.provide('impatientScreen', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
