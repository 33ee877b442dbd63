import { createRsbuild } from '@rsbuild/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { boardBuild } from '../rsbuild.config.ts';
import { PROJECT_ROOT } from './project-root.ts';

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
  await buildScreens({ outputFolder: folder, chunkLoadTimeoutMs: SHORT_CHUNK_TIMEOUT_MS });
  project.provide('impatientScreen', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

export async function buildScreens(options: Parameters<typeof boardBuild>[0]): Promise<void> {
  const config = { ...boardBuild(options), mode: 'production', logLevel: 'error' } as const;
  const rsbuild = await createRsbuild({ cwd: PROJECT_ROOT, config });
  const { close } = await rsbuild.build();
  await close();
}
